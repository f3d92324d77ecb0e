const ENVIRONMENT = `# Where playbooks run, by name. The first is the default; --env NAME takes another.
environments:
  sandbox: embedded # the sandbox inside tokenbook; nothing leaves this machine

  # Your service: remove each # and write your own values. \`tokenbook schema environment\` lists every setting.
  # staging:
  #   ledger:
  #     baseUrl: "https://ledger.example.com"
  #     appId: app1
  #     orgId: org1
  #     apiKey: env:LEDGER_KEY # never the key itself: env:NAME is a variable (also from .env beside this file), file:PATH a file
  #   investor:
  #     baseUrl: "https://store.example.com"
  #     credentials:
  #       BUYER_KEY: env:BUYER_KEY # the name that playbooks use: where the key is
  #   profile: # only what differs from the defaults
  #     ledger: { onBehalfOf: { in: query, name: actAs } }
`;

const FIRST = `playbook: 1
name: Mint a first hundred
description: Creates a token, mints some of it, and checks that the supply is the minted amount. Run it as often as you like.

inputs:
  amount: { type: decimal, minimum: "0.01", default: "100.00", description: How much to mint. }

actors:
  issuer: { ledger: "userId:alice" } # an entity of the ledger
defaults: { as: issuer }

steps:
  - id: token
    name: Create the token
    uses: ledger.token.create # each run chooses a new id, so it makes its own token
    with:
      name: First
      symbol: FST
      classification: { type: fungible, unit: fractional, valueType: intrinsic, supply: capped-variable }
      behaviour: { decimal: 2, maxMintQuantity: "\${{ inputs.amount }}", transferable: true, burnable: true }

  - id: mint
    name: Mint
    uses: ledger.token.mint # a step that writes waits until the ledger has committed it
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
# The keys of your service.
.env
node_modules/
`;

function readme(name: string): string {
  return `# ${name}

Playbooks for a token investment and asset tokenization service, run by tokenbook.

\`\`\`sh
tokenbook check playbooks              # finds mistakes before anything is sent
tokenbook run playbooks/first.yaml     # runs on the sandbox inside tokenbook: see tokenbook.yaml
tokenbook doctor                       # checks whether runs can start here, and shows what to fix
tokenbook operations                   # lists what a step can call
tokenbook new playbook playbooks/second.yaml --uses ledger.token.create --uses ledger.token.mint
\`\`\`

\`.tokenbook/\` is the memory of runs. \`tokenbook runs\` lists them, and \`tokenbook resume\` continues a run that stopped.

In CI:

\`\`\`sh
tokenbook fmt --check .
tokenbook check playbooks --format github
tokenbook run playbooks --report junit=report.xml
\`\`\`

For completion in an editor with a YAML language server, run \`tokenbook schema > playbook.schema.json\`, and begin each playbook with the line
\`# yaml-language-server: $schema=../playbook.schema.json\`.
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
