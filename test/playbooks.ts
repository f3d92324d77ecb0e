// Playbooks for tests and benches.

/** A playbook that creates a token for an order and mints it. Each order has its own token. */
export const ORDER = `playbook: 1
name: Mint for an order
inputs:
  order: { type: string }
actors:
  issuer: { ledger: "userId:alice" }
defaults: { as: issuer }
steps:
  - id: token
    uses: ledger.token.create
    with:
      id: "T\${{ inputs.order }}"
      name: "Token of \${{ inputs.order }}"
      symbol: ORD
      classification: { type: fungible, unit: fractional, valueType: intrinsic, supply: capped-variable }
      behaviour: { decimal: 2, maxMintQuantity: "100", transferable: true, burnable: true }
  - id: mint
    uses: ledger.token.mint
    with: { id: "T\${{ inputs.order }}", to: "\${{ actors.issuer }}", value: "10.00" }
  - id: after
    uses: ledger.token.get
    with: { id: "\${{ steps.token.id }}" }
    expect: [response.totalSupply == 10]
`;

/** Returns a playbook in which a property changes hands only when bob approves. The last step waits for him as long as `wait` says. */
export function approvalPlaybook(wait: string): string {
  return `playbook: 1
name: Hand over a property
actors:
  issuer: { ledger: "userId:alice" }
  board: [{ ledger: "userId:bob" }]
  custodian: { ledger: "userId:carol" }
defaults: { as: issuer }
steps:
  - id: property
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "P\${{ run.key }}" } }
  - id: request
    uses: ledger.transfer.request
    with:
      assetType: Property
      id: ["\${{ steps.property.id }}"]
      approvers: "\${{ actors.board }}"
      numRequired: 1
      newOwner: "\${{ actors.custodian }}"
  - id: owned
    uses: ledger.asset.get
    with: { assetType: Property, id: "\${{ steps.property.id }}" }
    until: response.owners.exists(o, o == actors.custodian)
${wait}
outputs:
  request: "\${{ steps.request.id }}"
`;
}
