import { Decimal, sum } from "../../base/numbers/decimal.ts";
import type { InvestorToken, Purchase, Sale } from "../store/investor-resources.ts";
import { textParam } from "../params.ts";
import { paginate, type Enveloped, type InvestorCall } from "./call.ts";
import { purchasesOf, theInvestorToken, theSale } from "./sales.ts";
import { percentage } from "./share.ts";

const ZERO = Decimal.of(0);
const DEFAULT_CURRENCY = "USD";
const EXPLORER = "https://explorer.sandbox.invalid";

/** A token that the user holds, with the amount. */
interface Holding {
  readonly token: InvestorToken;
  readonly tokenCount: Decimal;
  readonly totalInvestment: Decimal;
}

/** GET /investments/user/tokens: the purchases by token. The currency of the total is that of the first holding. */
export function heldTokens(call: InvestorCall): Enveloped {
  const holdings = holdingsOf(call);
  const { items, pagination } = paginate(call, holdings);
  const metaData = {
    totalInvestment: sum(holdings.map(({ totalInvestment }) => totalInvestment)).canonical(),
    tokenHoldings: holdings.length,
    currency: holdings[0]?.token.currency ?? DEFAULT_CURRENCY,
  };
  return { response: { tokens: items.map((holding) => heldToken(call, holding)), metaData }, pagination };
}

/** GET /investments/user/transactions: the newest first. */
export function userTransactions(call: InvestorCall): Enveloped {
  return transactionPage(call, purchasesOf(call));
}

/** GET /investments/user/tokens/{tokenId}/transactions: the newest first. */
export function tokenTransactions(call: InvestorCall): Enveloped {
  const token = theInvestorToken(call.world, textParam(call, "tokenId"));
  return transactionPage(
    call,
    purchasesOf(call).filter(({ tokenId }) => tokenId === token.id),
  );
}

function transactionPage(call: InvestorCall, purchases: readonly Purchase[]): Enveloped {
  const { items, pagination } = paginate(call, purchases.toReversed());
  return { response: { transactions: items.map((purchase) => transactionRecord(call, purchase)) }, pagination };
}

function holdingsOf(call: InvestorCall): readonly Holding[] {
  const byToken = Map.groupBy(purchasesOf(call), ({ tokenId }) => tokenId);
  return [...byToken].map(([tokenId, purchases]) => {
    const token = theInvestorToken(call.world, tokenId);
    const tokenCount = sum(purchases.map(({ amount }) => amount));
    return { token, tokenCount, totalInvestment: tokenCount.times(token.price) };
  });
}

function heldToken(call: InvestorCall, { token, tokenCount, totalInvestment }: Holding): object {
  const { id, name, symbol, title, assetId, assetName, assetCategoryText, propertyTypeText, currency } = token;
  const investmentTypeText = token.investment === "debt" ? "Debt" : "Equity";
  const sales = call.world.list("sale").filter(({ tokenId }) => tokenId === id);
  return {
    id: `${call.investor.userId}-${id}`,
    tokenId: id,
    assetId,
    icon: iconOf(token),
    name,
    symbol,
    assetName,
    assetCategoryText,
    investmentTypeText,
    propertyTypeText,
    title,
    currency,
    totalInvestmentWithCurrency: `${currency} ${totalInvestment.canonical()}`,
    requiresTokenBuyBack: 0,
    tokenPrice: token.price,
    totalInvestment,
    tokenCount,
    totalTokenCount: token.totalTokenCount,
    pendingTokenCount: 0,
    burnTokenCount: 0,
    tokenPercentage: percentage(tokenCount, token.totalTokenCount),
    badges: [{ title: "Investment", value: investmentTypeText }],
    softCaps: sales.filter(({ softCap }) => !softCap.isZero()).map((sale) => softCapOf(sale, token)),
  };
}

// Status 1 means that the cap is reached, 0 that it is not.
function softCapOf(sale: Sale, token: InvestorToken): object {
  const { softCap: cap, totalSoldTokens: subscriptionCount } = sale;
  const reached = subscriptionCount.compare(cap) >= 0;
  return {
    amountToBeInvested: reached ? ZERO : cap.minus(subscriptionCount).times(token.price),
    cap,
    status: reached ? 1 : 0,
    subscriptionCount,
    subscriptionPercentage: percentage(subscriptionCount, cap),
    supply: sale.tokenCountOnSale,
    saleEndDate: sale.endDate,
    saleId: sale.id,
    saleName: sale.name,
  };
}

function transactionRecord(call: InvestorCall, { id, saleId, tokenId, amount, userAddress, at }: Purchase): object {
  const token = theInvestorToken(call.world, tokenId);
  const sale = theSale(call.world, saleId);
  const total = amount.times(token.price);
  return {
    id,
    explorerUrl: `${EXPLORER}/tx/${id}`,
    type: "BUY",
    principalExplorerUrl: "",
    txnDate: at,
    fromWallet: "Sale",
    toWallet: call.investor.userId,
    fromWalletAddress: token.saleContract,
    toWalletAddress: userAddress,
    tokenSaleName: sale.name,
    tokenSaleId: saleId,
    payoutId: "",
    payoutName: "",
    tokenId,
    tokenName: token.name,
    tokenSymbol: token.symbol,
    tokenIcon: iconOf(token),
    assetId: token.assetId,
    assetName: token.assetName,
    usdTotalValue: total.canonical(),
    totalValue: total.canonical(),
    currency: token.currency,
    tokenAddress: token.tokenContract,
    tokenAddressUrl: `${EXPLORER}/address/${token.tokenContract}`,
    amount: total,
    principalAmount: 0,
    burnAmount: 0,
    interestAmount: 0,
    delayedInterestAmount: 0,
    pricePerToken: token.price,
    total,
    status: 1,
    tokenCount: amount,
    soldTokens: sale.totalSoldTokens,
    usdTokenValue: token.price,
    tokenValue: token.price,
    payoutDocuments: [],
  };
}

function iconOf({ symbol }: InvestorToken): string {
  return `https://files.sandbox.invalid/${symbol.toLowerCase()}.png`;
}

/** GET /config/contract-addresses/{tokenId} */
export function contractAddresses(call: InvestorCall): Enveloped {
  const { tokenContract, saleContract } = theInvestorToken(call.world, textParam(call, "tokenId"));
  return { response: { config: { tokenContract, saleContract } } };
}
