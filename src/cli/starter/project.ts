const ENVIRONMENT = `# Where playbooks run, by name. The first is the default; --env NAME takes another.
environments:
  sandbox: embedded # both interfaces inside of tokenbook; nothing leaves this machine

  # A service: take the # away, and put your own values in. \`tokenbook schema environment\` lists every setting.
  # staging:
  #   ledger:
  #     baseUrl: "https://ledger.example.com"
  #     appId: app1
  #     orgId: org1
  #     apiKey: env:LEDGER_KEY # where the key is, never the key itself; or file:PATH. A .env beside this file is read too
  #   investor:
  #     baseUrl: "https://store.example.com"
  #     credentials:
  #       BUYER_KEY: env:BUYER_KEY # the name that playbooks use: where the key is
  #   profile: # only what differs from the defaults
  #     ledger: { onBehalfOf: { in: query, name: actAs } }
`;

const FIRST = `playbook: 1
name: Mint a first hundred
description: Creates a token, mints some of it, and proves that the supply is what was minted. Run it as often as you like.

inputs:
  amount: { type: decimal, minimum: "0.01", default: "100.00", description: How much is minted. }

actors:
  issuer: { ledger: "userId:alice" } # an entity of the ledger
defaults: { as: issuer }

steps:
  - id: token
    name: Create the token
    uses: ledger.token.create # its id is chosen by the run: each run makes its own token
    with:
      name: First
      symbol: FST
      classification: { type: fungible, unit: fractional, valueType: intrinsic, supply: capped-variable }
      behaviour: { decimal: 2, maxMintQuantity: "\${{ inputs.amount }}", transferable: true, burnable: true }

  - id: mint
    name: Mint
    uses: ledger.token.mint # a write waits until it is committed, and is never sent twice
    with: { id: "\${{ steps.token.id }}", to: "\${{ actors.issuer }}", value: "\${{ inputs.amount }}" }

  - id: supply
    name: The supply is what was minted
    uses: ledger.token.get
    with: { id: "\${{ steps.token.id }}" }
    expect: [response.totalSupply == inputs.amount]

outputs:
  token: "\${{ steps.token.id }}"
`;

const IGNORED = `# The memory of runs: what was sent and answered, and the data of the sandbox.
.tokenbook/
# Keys, where they are kept in a file beside tokenbook.yaml.
.env
node_modules/
`;

function readme(name: string): string {
  return `# ${name}

Playbooks for a token investment and asset tokenization service, run by tokenbook.

\`\`\`sh
tokenbook check playbooks              # every mistake, before anything is sent
tokenbook run playbooks/first.yaml     # on the sandbox that is inside of tokenbook, see tokenbook.yaml
tokenbook doctor                       # whether runs can begin here, and what to fix
tokenbook operations                   # what can be called
tokenbook new playbook playbooks/second.yaml --uses ledger.token.create --uses ledger.token.mint
\`\`\`

What a run did is remembered in \`.tokenbook/\`; \`tokenbook runs\` lists it, \`tokenbook resume\` continues a run that stopped.

Lines for CI:

\`\`\`sh
tokenbook fmt --check .
tokenbook check playbooks --format github
tokenbook run playbooks --report junit=report.xml
\`\`\`

Completion and hover in editors with a YAML language server: \`tokenbook schema > playbook.schema.json\`, and a first line
\`# yaml-language-server: $schema=../playbook.schema.json\` in each playbook.
`;
}

/** Returns the files of a new project by path. */
export function starterProject(name: string): Readonly<Record<string, string>> {
  return {
    "tokenbook.yaml": ENVIRONMENT,
    "playbooks/first.yaml": FIRST,
    ".gitignore": IGNORED,
    "README.md": readme(name),
  };
}
