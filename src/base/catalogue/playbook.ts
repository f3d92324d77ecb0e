/** What can be wrong with a playbook whose text, shape and expressions are right. */
export const PLAYBOOK_CODES = {
  "playbook.above-cap": {
    severity: "error",
    title: "more is minted at once than ever may be",
    meaning:
      "The playbook itself creates the token, and its maxMintQuantity is less than what this one mint asks for. The service will surely refuse it.",
    cure: "Mint less, or create the token with a higher maxMintQuantity. Where the refusal is meant, write fails: { condition: … }.",
    example: "mint-above-cap",
  },
  "playbook.actor-interface": {
    severity: "error",
    title: "an actor has no identity on the interface that is called",
    meaning:
      "The ledger knows actors as entities, such as userId:alice; the investor interface knows them by their key. The actor of this step has only the other one.",
    cure: 'Give the actor the identity that is missing, `ledger: "userId:…"` or `investor: CREDENTIAL`, or let another one act with `as`.',
    example: "actor-without-investor-identity",
  },
  "playbook.constant-condition": {
    severity: "warning",
    title: "a condition is the same whatever happens",
    meaning:
      "The expression asks for nothing that a run could change, so it always holds, or never does. An expectation that always holds proves nothing.",
    cure: "Compare something of response or steps, or take the condition out.",
    example: "constant-expectation",
  },
  "playbook.duplicate-step": {
    severity: "error",
    title: "two steps have the same id",
    meaning: "Later steps, reports and the journal name a step by its id, so it must be the only one of that name.",
    cure: "Give each step an id of its own.",
    example: "duplicate-step",
  },
  "playbook.entity-attribute": {
    severity: "error",
    title: "an attribute of an entity is misspelt",
    meaning:
      "An entity is an open map: `orgId`, and `userId` or another attribute that names it, such as `borrowerId`. This one differs from one of those two by the case of its letters or by one letter: the service would look for an attribute that nobody has, or the expression would have no value.",
    cure: 'Take the attribute that is suggested. In an expression, o["userid"] asks for an attribute that is really called so.',
    example: "entity-attribute",
  },
  "playbook.group-acts": {
    severity: "error",
    title: "a group acts in one step",
    meaning: "A step is one call, and one call has one actor. The name stands for a list of them.",
    cure: 'Repeat the step for each member with `foreach`, or name one of them: as: "${{ actors.board[0] }}".',
    example: "group-acts",
  },
  "playbook.group-late": {
    severity: "error",
    title: "a group is named by what only a run can tell",
    meaning:
      "The groups of a playbook, and of those that it includes, are taken before the first request. Their names can be made of inputs and of env, and of nothing that a step gives.",
    cure: "Name the group by an input, and give that from outside of the run; or by a plain text.",
    example: "group-of-a-step",
  },
  "playbook.id-twice": {
    severity: "error",
    title: "one call names the same thing twice",
    meaning:
      "The items of this call are things of their own: two that are created under one id, or one that is deleted or voted on twice. The service refuses the second one, or later steps cannot tell the two apart.",
    cure: "Take one of the two out, or give it an id of its own. Where the refusal is meant, write fails: { condition: … }.",
    example: "id-twice",
  },
  "playbook.include-broken": {
    severity: "error",
    title: "an included playbook has mistakes of its own",
    meaning:
      "The playbook that this step runs cannot be run by itself. Its mistakes are told beside this one, with their own places.",
    cure: "Mend the included playbook; the suggestion names its first mistake.",
    example: "include-broken",
  },
  "playbook.include-cycle": {
    severity: "error",
    title: "a playbook includes itself",
    meaning: "Following the playbooks that include one another leads back to where it began, so the run would never end.",
    cure: "Take out one of the steps of the chain, or move what both need into a playbook of its own.",
    example: "include-itself",
  },
  "playbook.include-input": {
    severity: "error",
    title: "an included playbook is given the wrong inputs",
    meaning:
      "What stands under `with` is checked against the inputs that the included playbook declares: an input is missing, is unknown there, or has a value that it does not take.",
    cure: "Give every input without a default, by its name, and with a value of its type.",
    example: "include-input",
  },
  "playbook.include-missing": {
    severity: "error",
    title: "an included playbook cannot be read",
    meaning:
      "The file that `uses` names is not there, is no text, lies outside of the project, is a file of settings such as .env, or lies deeper than playbooks may include one another.",
    cure: "Write the path relative to the playbook that names it: uses: ./deposit.yaml",
    example: "include-missing",
  },
  "playbook.loop-name": {
    severity: "error",
    title: "the name of a foreach is taken",
    meaning:
      "The item of a `foreach` needs a name that means nothing else in expressions. This one is one of ours, or one of CEL's own types.",
    cure: "Take another word of letters, digits and _, such as item.",
    example: "loop-name-taken",
  },
  "playbook.key-twice": {
    severity: "error",
    title: "a key that two items of a written list have",
    meaning:
      "The results of a `foreach` are kept by key, and the rows of a comparison are found by it. The list is written out in the playbook, and two of its items have the same key, so every run would fail there.",
    cure: "Take out the item that is there twice, or make `key` different for each: a field that differs, or two fields together.",
    example: "foreach-key-twice",
  },
  "playbook.loop-too-long": {
    severity: "error",
    title: "a foreach over more items than it may have rounds",
    meaning:
      "The list is written out, or is the same in every run, and has more items than a `foreach` may have rounds. A run of it would be refused before its first step.",
    cure: "Split the list, and run the playbook once for each part.",
    example: "loop-too-long",
  },
  "playbook.maybe-no-receipt": {
    severity: "warning",
    title: "the receipt of a write that may have none",
    meaning:
      "When the answer of a write is lost, the id of its receipt is lost with it. The step passes all the same once its effect is seen, or once you record it with `tokenbook resolve`, and then there is no receipt: an expression that uses it fails.",
    cure: "Ask first: has(steps.ID.receipt) ? steps.ID.receipt.… : …, or give the step that uses it `if: has(steps.ID.receipt)`.",
    example: "maybe-no-receipt",
  },
  "playbook.maybe-skipped": {
    severity: "error",
    title: "a value of a step that may have been skipped",
    meaning:
      "The step has an `if`. When it is skipped it has an outcome and nothing else, and the expression that uses more of it would fail in the run.",
    cure: 'Ask first: give this step `if: steps.ID.outcome != "skipped"`, or write has(steps.ID.id) ? steps.ID.id : …',
    example: "maybe-skipped",
  },
  "playbook.maybe-unchanged": {
    severity: "error",
    title: "a write may have been spared, and then has no answer",
    meaning:
      "A step with `ensure` sends nothing when what it is for is so already. Then there is no answer and no receipt, only what was read.",
    cure: 'Use steps.ID.ensured, which is there either way, or ask first: if: steps.ID.outcome == "changed"',
    example: "maybe-unchanged",
  },
  "playbook.maybe-unrun": {
    severity: "error",
    title: "a step of a block may not have run",
    meaning:
      "When a step of a block fails, those behind it do not run, and the block goes on with its rescue. What comes later cannot rely on them, nor on the steps of the rescue.",
    cure: "Ask whether it is there: has(steps.ID.response) ? … : …",
    example: "maybe-unrun",
  },
  "playbook.misspelt-condition": {
    severity: "error",
    title: "a condition is misspelt, or only a part of one",
    meaning:
      "A condition of `fails` is compared as a whole with what the service says; only the case of its letters does not count. This one is almost a condition that is listed for the operation, or a part of one, so the step would fail although the service refuses as it should.",
    cure: "Take the condition that is suggested; `tokenbook operations NAME` lists those of an operation. A part of what the service says belongs to fails: { message: { contains: … } }.",
    example: "misspelt-condition",
  },
  "playbook.never-done": {
    severity: "warning",
    title: "a step is never done",
    meaning: "Its condition is false in every run, so the step, and all steps that it holds, are skipped always.",
    cure: "Take the step out, or let its `if` ask for an input or for another step.",
    example: "never-done",
  },
  "playbook.no-actor": {
    severity: "error",
    title: "nobody acts",
    meaning:
      "The investor interface knows callers by their key, and no actor says whose key it is. A write of the ledger interface must say who acts too: an unnamed actor could not be looked for when an answer is lost, and another run could write as the same entity at the same time.",
    cure: "Give the step `as:` with an actor that has `investor: CREDENTIAL` or `ledger: userId:…`, or set one under `defaults:`. Where the environment's key acts for itself, write as: { ledger: key }.",
    example: "no-key-for-investor",
  },
  "playbook.no-batch": {
    severity: "error",
    title: "an operation takes no batch",
    meaning: "`items` sends several things in one request, which only operations with a list as their body can do.",
    cure: "Write the fields of one directly in `with`, and use `foreach` for several.",
    example: "batch-on-one",
  },
  "playbook.no-quorum": {
    severity: "error",
    title: "more must approve than there are approvers",
    meaning:
      "`numRequired` is greater than the number of different approvers, so that the request could never be approved. An approver counts once, however often they are named.",
    cure: "Name more approvers, or require fewer.",
    example: "no-quorum",
  },
  "playbook.no-role": {
    severity: "error",
    title: "an actor mints or burns without the role for it",
    meaning:
      "The playbook itself creates the token, and says who has which role in it; this actor is none of them, nor may act as the owner, because the rolesMap names a role for it or the token is another's. The service will surely refuse.",
    cure: "Let somebody act who has the role, give it in `tokenPermissions`, or with ledger.token.setPermissions before. Where the refusal is meant, write fails: { condition: \u2026 }.",
    example: "no-role",
  },
  "playbook.no-vote": {
    severity: "error",
    title: "somebody votes who is no approver",
    meaning:
      "The playbook itself makes the request and names its approvers, and this actor is none of them. The service will surely refuse the vote.",
    cure: "Let one of the approvers act, or name the actor among them. Where the refusal is meant, write fails: { condition: \u2026 }.",
    example: "no-vote",
  },
  "playbook.no-work": {
    severity: "error",
    title: "a step or a check says nothing of what is to be done",
    meaning:
      "A step calls an operation, runs another playbook, or holds a block of steps. A check reads something and has a condition, or names what is conserved.",
    cure: "Write uses: with an operation or a path, or block: with steps; for a check, read: and that:, or conserve:.",
    example: "step-without-uses",
  },
  "playbook.not-a-read": {
    severity: "error",
    title: "a write stands where only a read may",
    meaning: "`ensure`, `discover` and `checks` look at what is so, as often as they like. They must not change it.",
    cure: "Take an operation that reads, such as ledger.token.get.",
    example: "ensure-writes",
  },
  "playbook.not-here": {
    severity: "error",
    title: "a field that has no effect on this step",
    meaning:
      "The field is known, but not for a step of this kind: a timeout without an until, pages of what is no list, an expectation of a call that must fail. It would be ignored, and what it promises would not be so.",
    cure: "Delete the field, or add the one that it belongs to.",
    example: "timeout-without-until",
  },
  "playbook.read-only": {
    severity: "error",
    title: "a step writes in a read-only playbook",
    meaning: "The playbook says mode: read-only, which is proved before the first request. This step's operation writes.",
    cure: "Take the step out, or delete `mode: read-only`.",
    example: "read-only-that-writes",
  },
  "playbook.secret-kept": {
    severity: "error",
    title: "a secret stands where its value would be kept",
    meaning:
      "Inputs of included playbooks, items of a foreach, outputs and what steps have read are kept in the journal, where a secret is masked. What came back from there would be the mask, which must never be sent or compared.",
    cure: "Use secrets.NAME where it is sent. An included playbook declares the same secret under its own `secrets:`. Compare in the `expect` of the step that reads.",
    example: "secret-as-output",
  },
  "playbook.secret-literal": {
    severity: "error",
    title: "a secret is written out, or its reference is none",
    meaning:
      "Under `secrets:` stands where a secret is, an environment variable or a file, never the secret itself: a playbook is kept in git and shown in reports. What was written there is not shown.",
    cure: "Write NAME: env:VARIABLE or NAME: file:PATH. If the secret itself was saved in the file, change it at its origin.",
    example: "secret-literal",
  },
  "playbook.step-not-run": {
    severity: "error",
    title: "a step is used before it has run",
    meaning:
      "Steps run from top to bottom. The results that the expression asks for are not there yet: they belong to a later step, or to this very one.",
    cure: "Move the other step up. In a step's own `expect` and `until`, `response` is the answer of this very call.",
    example: "step-used-before",
  },
  "playbook.step-unnamed": {
    severity: "error",
    title: "`steps` is used by itself",
    meaning: "`steps` holds the results of all steps, and only by the name of one are they known to be there.",
    cure: "Name the step: steps.ID, or steps.ID.response for its answer.",
    example: "steps-by-itself",
  },
  "playbook.too-fine": {
    severity: "error",
    title: "a quantity has more digits than its token",
    meaning:
      "The playbook itself creates the token, and its `decimal` says how many digits a quantity may have behind the point. This one has more, and nothing rounds silently.",
    cure: "Round the quantity, or create the token with more decimals. Where the refusal is meant, write fails: { condition: \u2026 }.",
    example: "too-fine",
  },
  "playbook.unknown-actor": {
    severity: "error",
    title: "an actor that is not declared",
    meaning: "`as` names somebody who does not stand under `actors:`.",
    cure: 'Take the name that is suggested, or declare the actor: NAME: { ledger: "userId:…" }.',
    example: "unknown-actor",
  },
  "playbook.unknown-operation": {
    severity: "error",
    title: "an operation that does not exist",
    meaning:
      "`uses` names one of the operations of the service, such as ledger.token.mint. No URL, method or header ever stands in a playbook.",
    cure: "Take the name that is suggested; `tokenbook operations` lists all of them.",
    example: "unknown-operation",
  },
  "playbook.unknown-secret": {
    severity: "error",
    title: "a secret that is not declared",
    meaning:
      "An expression asks for a secret that does not stand under `secrets:` of its own playbook, or for all of them at once. An included playbook sees only its own.",
    cure: "Take the name that is suggested, or declare it: secrets: { NAME: env:VARIABLE }.",
    example: "secrets-in-expression",
  },
  "playbook.unknown-step": {
    severity: "error",
    title: "a step that does not exist",
    meaning: "An expression names a step by an id that no step of the playbook has.",
    cure: "Take the id that is suggested, or give the step that is meant this id.",
    example: "unknown-step",
  },
  "playbook.unknown-variable": {
    severity: "error",
    title: "a variable that is not declared",
    meaning:
      "An expression asks for a variable that does not stand under `env:` of its own playbook. A variable of the process is seen only when it is declared, so that one can read what a playbook depends on.",
    cure: "Take the name that is suggested, or declare it with a default: env: { NAME: text }; with ~ it must be set.",
    example: "env-misspelt",
  },
  "playbook.unlisted-condition": {
    severity: "warning",
    title: "a condition that nobody lists",
    meaning:
      "Neither the service description nor the sandbox knows this condition for the operation. The service may know it; if it does not, the step fails, for a condition is compared as a whole.",
    cure: "Take a condition that `tokenbook operations NAME` lists, or ask for the status or a part of the message: fails: { status: 422, message: { contains: frozen } }.",
    example: "unlisted-condition",
  },
  "playbook.unmarked-expression": {
    severity: "warning",
    title: "a text looks like an expression",
    meaning:
      "Inside values only what stands in ${{ }} is an expression; all else is sent to the letter. This text is written like an expression of another language, or like one without its marks.",
    cure: 'Write "${{ steps.token.id }}", with the quotes. A text that is meant stays as it is.',
    example: "unmarked-expression",
  },
  "playbook.unused-actor": {
    severity: "warning",
    title: "an actor is declared and never used",
    meaning: "Nobody acts as this actor, and no expression speaks of them. A step may have the wrong `as`.",
    cure: "Write as: NAME where the actor is meant to act, or take the declaration out.",
    example: "unused-actor",
  },
  "playbook.unused-input": {
    severity: "warning",
    title: "an input is declared and never used",
    meaning: "No expression asks for this input: whatever is given for it changes nothing.",
    cure: "Use it as ${{ inputs.NAME }}, or take the declaration out.",
    example: "unused-input",
  },
  "playbook.unused-item": {
    severity: "warning",
    title: "a loop does the same in every round",
    meaning: "Nothing in the step uses the name that its `foreach` gives to an item, not even the key.",
    cure: "Use the item as ${{ NAME }}, or take the `foreach` out.",
    example: "unused-item",
  },
  "playbook.write-repeated": {
    severity: "error",
    title: "a write is to be repeated",
    meaning: "`until` repeats a call until a condition holds. A write is never sent twice, so only a read is repeated.",
    cure: "Read back with a step of its own behind the write, and give that the `until`. A write waits for its receipt by itself.",
    example: "until-on-write",
  },
} as const;
