/** The catalogue of mistakes in a playbook whose text, shape and expressions are right. */
export const PLAYBOOK_CODES = {
  "playbook.above-cap": {
    title: "one mint asks for more than the token allows",
    meaning:
      "The playbook itself creates the token, and this mint asks for more than its maxMintQuantity. The service will surely refuse it.",
    cure: "Mint less, or create the token with a higher maxMintQuantity. If you expect the refusal, write fails: { condition: … }.",
    example: "mint-above-cap",
  },
  "playbook.actor-interface": {
    title: "an actor has no identity on the interface of the call",
    meaning:
      "The ledger knows actors as entities, such as userId:alice; the investor interface knows them by their key. The actor of this step has only the other identity.",
    cure: 'Give the actor the missing identity, `ledger: "userId:…"` or `investor: CREDENTIAL`, or let another one act with `as`.',
    example: "actor-without-investor-identity",
  },
  "playbook.any-message": {
    severity: "warning",
    title: "a pattern of `fails` is found in every message",
    meaning:
      "The service must refuse the step with a message that matches the pattern, and every message does. So the step also passes when the service refuses for another reason, such as a server error of a read.",
    cure: "Write a pattern that only the expected message has, or the condition: fails: { condition: … }.",
    example: "any-message",
  },
  "playbook.constant-condition": {
    severity: "warning",
    title: "a condition never changes",
    meaning:
      'The expression, or the part of it that is shown, always holds, or never does. It may use nothing that a run could change. Or it asks for what is true of every value: text.contains(""), size(list) >= 0, a pattern such as ".*", x == x, or x != "a" || x != "b". An expectation that always holds proves nothing.',
    cure: "Compare something of response or steps with a value that it may not have, or remove the condition.",
    example: "constant-expectation",
  },
  "playbook.duplicate-step": {
    title: "two steps have the same id",
    meaning: "Later steps, reports and the journal name a step by its id, so no two steps may share one.",
    cure: "Give each step an id of its own.",
    example: "duplicate-step",
  },
  "playbook.entity-attribute": {
    title: "an attribute of an entity is misspelt, or two are one text",
    meaning:
      "An entity is an open map: it has `orgId`, and `userId` or another attribute that names it, such as `borrowerId`. This attribute differs from `orgId` or `userId` by one letter, or by upper and lower case. The service would look for an attribute that nobody has, or the expression would have no value. A text holds one attribute: in `orgId:org1,userId:alice` all but `orgId` would be its value.",
    cure: 'Use the suggested attribute, and a map for several. If it is really called so, write o["userid"] in an expression.',
    example: "entity-attribute",
  },
  "playbook.group-acts": {
    title: "a group acts in one step",
    meaning: "A step is one call, and one call has one actor, but this name is a list of actors.",
    cure: 'Repeat the step for each member with `foreach`, or name one of them: as: "${{ actors.board[0] }}".',
    example: "group-acts",
  },
  "playbook.group-late": {
    title: "the name of a group is known only in a run",
    meaning:
      "A run takes the groups of its playbook, and of the playbooks that it includes, before the first request. The names of groups can use inputs and env, but nothing that a step gives.",
    cure: "Name the group by an input that you give to the run, or by a plain text.",
    example: "group-of-a-step",
  },
  "playbook.holds-of-nothing": {
    severity: "warning",
    title: "a condition of `ensure` or `until` holds for an empty list",
    meaning:
      "The condition is only about each item of a list, so it also holds when the list is empty. An `ensure` would then find its effect there already and send nothing, and an `until` would end at once.",
    cure: "Also state what the list must have: size(response) > 0 && response.all(…), or response.exists(…).",
    example: "ensure-of-nothing",
  },
  "playbook.id-twice": {
    title: "one call names the same thing twice",
    meaning:
      "The items of this call must differ, but two are created under one id, or one is deleted or voted on twice. The service refuses the second one, or later steps cannot distinguish the two.",
    cure: "Remove one of the two, or give it an id of its own. If you expect the refusal, write fails: { condition: … }.",
    example: "id-twice",
  },
  "playbook.include-broken": {
    title: "an included playbook has mistakes of its own",
    meaning: "The playbook that this step runs has mistakes. They are listed beside this one, with their own places.",
    cure: "Fix the included playbook; the suggestion names its first mistake.",
    example: "include-broken",
  },
  "playbook.include-cycle": {
    title: "a playbook includes itself",
    meaning: "The chain of included playbooks leads back to its beginning, so the run would never end.",
    cure: "Remove one of the steps of the chain, or move what both need to a playbook of its own.",
    example: "include-itself",
  },
  "playbook.include-input": {
    title: "an included playbook gets the wrong inputs",
    meaning:
      "`with` is checked against the inputs that the included playbook declares: an input is missing, unknown, or has a value of the wrong kind.",
    cure: "Give every input without a default by its name, with a value of its type.",
    example: "include-input",
  },
  "playbook.include-missing": {
    title: "an included playbook cannot be read",
    meaning:
      "The file that `uses` names does not exist, is not text, lies outside of the project, is a file of settings such as .env, or is nested deeper than playbooks may include one another.",
    cure: "Write the path relative to the playbook that names it: uses: ./deposit.yaml",
    example: "include-missing",
  },
  "playbook.loop-key": {
    title: "a foreach has an item without a usable key",
    meaning:
      "The results of a `foreach` are kept by key, and expressions find them as steps.ID[key]. A key is a number, or a text of one line without brackets. The words __proto__, constructor and prototype reach into the runtime's own objects.",
    cure: "Let `key` give another text for this item, such as an id.",
    example: "foreach-key-forbidden",
  },
  "playbook.loop-name": {
    title: "the name of a foreach is taken",
    meaning:
      "The item of a `foreach` needs a name with no other meaning in expressions. This name is reserved by tokenbook, or is a type of CEL.",
    cure: "Use another word of letters, digits and _, such as item.",
    example: "loop-name-taken",
  },
  "playbook.key-twice": {
    title: "two items of a written list have the same key",
    meaning:
      "The results of a `foreach` are kept by key, and the rows of a comparison are matched by it. Two items of this list in the playbook have the same key, so every run would fail there.",
    cure: "Remove the repeated item, or make `key` different for each: use a field that differs, or two fields together.",
    example: "foreach-key-twice",
  },
  "playbook.loop-too-long": {
    title: "a foreach has more items than it may have rounds",
    meaning:
      "The list is written in the playbook, or is the same in every run, and has more items than a `foreach` may have rounds. A run would be refused before its first step.",
    cure: "Split the list, and run the playbook once for each part.",
    example: "loop-too-long",
  },
  "playbook.maybe-absent": {
    severity: "warning",
    title: "a field of an input may be absent",
    meaning:
      "The declaration of the input does not require this field. In a value without it, the expression has no value, and its step fails before it sends anything.",
    cure: 'Read it with a default, as in h.?note.orValue(""), or check first: has(h.note) ? … : …. If the field is always there, add it to `required`.',
    example: "field-maybe-absent",
  },
  "playbook.maybe-no-receipt": {
    severity: "warning",
    title: "the receipt of a write that may have none",
    meaning:
      "When the answer of a write is lost, the id of its receipt is lost too. The step still passes once its effect is seen, or once you record it with `tokenbook resolve`. Then there is no receipt, and an expression that uses it fails. A step with `wait: none` never reads its receipt.",
    cure: "Check first: has(steps.ID.receipt) ? steps.ID.receipt.… : …, or give the step that uses it `if: has(steps.ID.receipt)`.",
    example: "maybe-no-receipt",
  },
  "playbook.maybe-skipped": {
    title: "a value of a step that may be skipped",
    meaning:
      "The step has an `if`. If it is skipped, it has only an outcome, and an expression that uses more of it fails in the run.",
    cure: 'Check first: give this step `if: steps.ID.outcome != "skipped"`, or write has(steps.ID.id) ? steps.ID.id : …',
    example: "maybe-skipped",
  },
  "playbook.maybe-unchanged": {
    title: "a write that is not needed has no answer",
    meaning:
      "A step with `ensure` sends nothing when its effect is already there. Then it has no answer and no receipt, only what it read.",
    cure: 'Use steps.ID.ensured, which is always there, or check first: if: steps.ID.outcome == "changed"',
    example: "maybe-unchanged",
  },
  "playbook.maybe-unrun": {
    title: "a step of a block may not have run",
    meaning:
      "When a step of a block fails, the steps after it do not run, and the block continues with its rescue. Later steps cannot rely on them, nor on the steps of the rescue.",
    cure: "Check whether it is there: has(steps.ID.response) ? … : …",
    example: "maybe-unrun",
  },
  "playbook.member-not-asked": {
    severity: "warning",
    title: "a member of a group cannot be asked",
    meaning:
      "A `conserve` reads the records of each member of the group. This member has no identity on that interface, so its records are left out, and the sums may differ although nothing is wrong.",
    cure: "Give the member the identity, such as `investor: CREDENTIAL`, or name a group without it.",
    example: "group-member-not-asked",
  },
  "playbook.misspelt-condition": {
    title: "a condition is misspelt, or only part of one",
    meaning:
      "A condition of `fails` is compared as a whole with the service's message, except for upper and lower case. This one is almost a listed condition of the operation, or a part of one, so the step would fail although the service refuses as expected.",
    cure: "Use the suggested condition; `tokenbook operations NAME` lists those of an operation. For a part of the message, write fails: { message: { contains: … } }.",
    example: "misspelt-condition",
  },
  "playbook.misspelt-role": {
    severity: "warning",
    title: "a role is misspelt",
    meaning:
      "The playbook itself creates the token. It knows the roles minter, burner, transfer and notary, and those that its `rolesMap` names. This one is almost one of them. The service refuses a role that it does not know, or the role gives no right.",
    cure: "Write the suggested role. For a role of your own, name it in `rolesMap`.",
    example: "role-misspelt",
  },
  "playbook.never-done": {
    severity: "warning",
    title: "a step never runs",
    meaning: "Its condition is false in every run, so the step, and all steps in it, are always skipped.",
    cure: "Remove the step, or let its `if` depend on an input or on another step.",
    example: "never-done",
  },
  "playbook.no-actor": {
    title: "a call has no actor",
    meaning:
      "The investor interface knows callers by their key, and no actor says whose key to use. A write of the ledger interface needs an actor too: without one, its effect could not be found when an answer is lost, and another run could write as the same entity at the same time.",
    cure: "Give the step `as:` with an actor that has `investor: CREDENTIAL` or `ledger: userId:…`, or set one under `defaults:`. If the environment's key acts for itself, write as: { ledger: key }.",
    example: "no-key-for-investor",
  },
  "playbook.no-batch": {
    title: "an operation takes no batch",
    meaning: "`items` sends several things in one request, which only works for operations with a list as their body.",
    cure: "Write the fields of one directly in `with`, and use `foreach` for several.",
    example: "batch-on-one",
  },
  "playbook.no-quorum": {
    title: "more approvals are required than there are approvers",
    meaning:
      "`numRequired` is greater than the number of different approvers, so the request could never be approved. An approver counts once, however often they are named.",
    cure: "Name more approvers, or require fewer.",
    example: "no-quorum",
  },
  "playbook.no-role": {
    title: "an actor mints or burns without the role for it",
    meaning:
      "The playbook itself creates the token and gives out its roles, and this actor has none of them. It may not act as the owner either, because the rolesMap names a role for it, or the token belongs to someone else. The service will surely refuse.",
    cure: "Let an actor act that has the role. Or give the actor the role: in `tokenPermissions`, or with ledger.token.setPermissions in an earlier step. If you expect the refusal, write fails: { condition: … }.",
    example: "no-role",
  },
  "playbook.no-vote": {
    title: "an actor votes without being an approver",
    meaning:
      "The playbook itself makes the request and names its approvers, and this actor is not one of them. The service will surely refuse the vote.",
    cure: "Let one of the approvers act, or name the actor among them. If you expect the refusal, write fails: { condition: … }.",
    example: "no-vote",
  },
  "playbook.no-work": {
    title: "a step or a check does nothing",
    meaning:
      "A step calls an operation, runs another playbook, or holds a block of steps. A check reads something and has a condition, or names what is conserved.",
    cure: "Write uses: with an operation or a path, or block: with steps; for a check, read: and that:, or conserve:.",
    example: "step-without-uses",
  },
  "playbook.not-a-read": {
    title: "a write is used where only reads are allowed",
    meaning: "`ensure`, `discover` and `checks` read the present state, as often as they need. They must not change it.",
    cure: "Use an operation that reads, such as ledger.token.get.",
    example: "ensure-writes",
  },
  "playbook.not-here": {
    title: "a field that has no effect on this step",
    meaning:
      "The field is known, but not for a step of this kind: a timeout without an until, pages of an answer that is not a list, an expectation of a call that must fail. It would have no effect.",
    cure: "Delete the field, or add the one that it belongs to.",
    example: "timeout-without-until",
  },
  "playbook.read-only": {
    title: "a step writes in a read-only playbook",
    meaning: "The playbook has mode: read-only, which is proved before the first request, but this step's operation writes.",
    cure: "Remove the step, or delete `mode: read-only`.",
    example: "read-only-that-writes",
  },
  "playbook.secret-kept": {
    title: "a secret is used where its value would be kept",
    meaning:
      "The journal keeps inputs of included playbooks, items of a foreach, outputs and what steps have read, with secrets masked. Reading the value back would give the mask, which must never be sent or compared.",
    cure: "Use secrets.NAME in the call that sends it. An included playbook declares the same secret under its own `secrets:`. Compare in the `expect` of the step that reads.",
    example: "secret-as-output",
  },
  "playbook.secret-literal": {
    title: "a secret is written in the playbook, or its reference is not valid",
    meaning:
      "`secrets:` holds only references to a secret, an environment variable or a file, never the secret itself: a playbook is kept in git and shown in reports. The text that was written there is not shown.",
    cure: "Write NAME: env:VARIABLE or NAME: file:PATH. If the secret itself was saved in the file, change it at its origin.",
    example: "secret-literal",
  },
  "playbook.secret-part": {
    title: "a part of a secret, or a changed secret",
    meaning:
      "A secret is masked wherever it occurs as a whole. tokenbook cannot recognize a part of it, or the same letters in upper case, so the journal and reports would show them.",
    cure: "Use the secret whole: as a value, in a list or a map, joined to a text with +, as decimal(…), compared, or in contains, startsWith, endsWith and re2. Declare a part that you need under `secrets:`.",
    example: "secret-part",
  },
  "playbook.step-not-run": {
    title: "a step is used before it has run",
    meaning:
      "Steps run from top to bottom. The expression uses results of a later step, or of its own step, which do not exist yet.",
    cure: "Move the other step up. In a step's own `expect` and `until`, use `response` for the answer of its call.",
    example: "step-used-before",
  },
  "playbook.step-unnamed": {
    title: "`steps` is used by itself",
    meaning: "`steps` holds the results of all steps; you can use them only by the name of a step.",
    cure: "Name the step: steps.ID, or steps.ID.response for its answer.",
    example: "steps-by-itself",
  },
  "playbook.too-fine": {
    title: "a quantity has more digits than its token",
    meaning:
      "The playbook itself creates the token, and its `decimal` limits how many digits a quantity may have after the point. This one has more, and nothing is rounded silently.",
    cure: "Round the quantity, or create the token with more decimals. If you expect the refusal, write fails: { condition: … }.",
    example: "too-fine",
  },
  "playbook.unknown-actor": {
    title: "an actor that is not declared",
    meaning: "`as` names an actor that is not declared under `actors:`.",
    cure: 'Use the suggested name, or declare the actor: NAME: { ledger: "userId:…" }. To name the entity itself, write as: { ledger: "userId:…" }.',
    example: "unknown-actor",
  },
  "playbook.unknown-operation": {
    title: "an operation that does not exist",
    meaning:
      "`uses` names one of the operations of the service, such as ledger.token.mint. A playbook never has a URL, method or header.",
    cure: "Use the suggested name; `tokenbook operations` lists all of them.",
    example: "unknown-operation",
  },
  "playbook.unknown-secret": {
    title: "a secret that is not declared",
    meaning:
      "An expression uses a secret that is not declared under `secrets:` of its own playbook, or all secrets at once. An included playbook sees only its own.",
    cure: "Use the suggested name, or declare it: secrets: { NAME: env:VARIABLE }.",
    example: "secrets-in-expression",
  },
  "playbook.unknown-step": {
    title: "a step that does not exist",
    meaning: "An expression names a step by an id that no step of the playbook has.",
    cure: "Use the suggested id, or give it to the step that you mean.",
    example: "unknown-step",
  },
  "playbook.unknown-variable": {
    title: "a variable that is not declared",
    meaning:
      "An expression uses a variable that is not declared under `env:` of its own playbook. Only declared variables of the process are visible, so readers see what a playbook depends on.",
    cure: "Use the suggested name, or declare it with a default: env: { NAME: text }; with ~ it must be set.",
    example: "env-misspelt",
  },
  "playbook.unlisted-condition": {
    severity: "warning",
    title: "an unlisted condition",
    meaning:
      "Neither the service description nor the sandbox lists this condition for the operation. If the service does not know it either, the step fails, because a condition is compared as a whole.",
    cure: "Use a condition that `tokenbook operations NAME` lists, or expect the status or a part of the message: fails: { status: 422, message: { contains: frozen } }.",
    example: "unlisted-condition",
  },
  "playbook.unmarked-expression": {
    severity: "warning",
    title: "a text looks like an expression",
    meaning:
      "In values, only the text inside ${{ }} is an expression; everything else is sent as it is written. This text is written like an expression of another language, or like one without its marks.",
    cure: 'Write "${{ steps.token.id }}", with the quotes. If you mean the text as it is, leave it.',
    example: "unmarked-expression",
  },
  "playbook.unused-actor": {
    severity: "warning",
    title: "an actor is declared and never used",
    meaning: "No step acts as this actor, and no expression uses it. A step may have the wrong `as`.",
    cure: "Write as: NAME in the step that the actor acts in, or remove the declaration.",
    example: "unused-actor",
  },
  "playbook.unused-input": {
    severity: "warning",
    title: "an input is declared and never used",
    meaning: "No expression uses this input: its value changes nothing.",
    cure: "Use it as ${{ inputs.NAME }}, or remove the declaration.",
    example: "unused-input",
  },
  "playbook.unused-item": {
    severity: "warning",
    title: "a loop does the same in every round",
    meaning: "Nothing in the step uses the name that its `foreach` gives to an item, not even the key.",
    cure: "Use the item as ${{ NAME }}, or remove the `foreach`.",
    example: "unused-item",
  },
  "playbook.write-repeated": {
    title: "a write cannot be repeated",
    meaning: "`until` repeats a call until a condition holds. A write is never sent twice, so only reads can be repeated.",
    cure: "Read back in a step of its own after the write, and give that step the `until`. A write waits for its receipt by itself.",
    example: "until-on-write",
  },
} as const;
