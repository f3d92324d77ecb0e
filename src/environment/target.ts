import type { InterfaceName } from "../contract/contract.ts";
import type { Profile } from "../contract/profile.ts";
import type { Secret } from "../base/secret.ts";
import { differingFields, EMBEDDED_ADDRESS, type TargetHeading } from "../protocol/heading.ts";
import { hasEntities, type Service, services } from "../services/services.ts";

/** The place where a playbook runs: addresses, identities and the profile, resolved. */
export type Target = TargetSurroundings & { readonly [Name in InterfaceName]?: ServiceTarget | undefined };

interface TargetSurroundings {
  readonly environment: string;
  /** Whether it is the sandbox in this process, whose port differs in each run. */
  readonly embedded: boolean;
  readonly profile: Profile;
  /** Whether nobody else acts as these entities during a run. */
  readonly exclusive: boolean;
  /** Whether a run that writes here needs a person's consent. */
  readonly protected: boolean;
  /** The operator's promise that a write which is not visible after this time had no effect; `undefined` without a promise. */
  readonly settleWithinMs: number | undefined;
  /** The operator's promise about how old the state in a read may be; `undefined` without a promise. */
  readonly readLagMs: number | undefined;
  /** How long one request may take. */
  readonly timeoutMs: number;
  /** How fast reads may be sent; `undefined` without a limit. */
  readonly pacing?: Pacing | undefined;
  /** Returns where a setting is written, for messages: `tokenbook.yaml:4 (environments.staging.ledger.apiKey)`. */
  readonly whereIs: (setting: string) => string;
}

/** The limits for reads of an interface. */
export interface Pacing {
  /** How many reads may begin in a second; `undefined` without a limit. */
  readonly perSecond: number | undefined;
  /** How many reads may be in progress at a time; `undefined` without a limit. */
  readonly atOnce: number | undefined;
}

/** The address of one interface, and its keys. */
export type ServiceTarget = EntityTarget | CredentialTarget;

interface Reachable {
  readonly baseUrl: string;
  /** The settings that only this interface has, such as its app. */
  readonly settings?: Readonly<Record<string, string>>;
}

interface EntityTarget extends Reachable {
  readonly apiKey: Secret;
  /** The key's own entity, such as `userId:alice`; `undefined` if the environment does not name it. */
  readonly keyEntity?: string | undefined;
}

interface CredentialTarget extends Reachable {
  readonly credentials: ReadonlyMap<string, Secret>;
}

/** Returns the keys of an interface by their credentials; none if its callers are entities. */
export function credentialsOf(side: ServiceTarget | undefined): ReadonlyMap<string, Secret> {
  return side !== undefined && "credentials" in side ? side.credentials : new Map<string, Secret>();
}

/** Returns the key for calls of an interface; `undefined` if this credential has none. */
export function keyOf(side: ServiceTarget, credential: string | undefined): Secret | undefined {
  return "apiKey" in side ? side.apiKey : side.credentials.get(credential ?? "");
}

/** Returns the entity of an interface's key, if the environment names it. */
export function keyEntityOf(side: ServiceTarget | undefined): string | undefined {
  return side !== undefined && "apiKey" in side ? side.keyEntity : undefined;
}

/** Returns the organization of the entities that act. */
export function organizationOf(target: Target): string | undefined {
  const [service] = services.filter(hasEntities);
  return service === undefined ? undefined : target[service.name]?.settings?.[service.identity.organization];
}

/** Returns every secret of a target, for the redactor. */
export function secretsOf(target: Target): readonly Secret[] {
  return services.flatMap(({ name }) => {
    const side = target[name];
    if (side === undefined) return [];
    return "apiKey" in side ? [side.apiKey] : [...side.credentials.values()];
  });
}

/** Returns what the journal keeps of a target, so that a resumed run can check whether it acts in the same place. */
export function headingOf(target: Target): TargetHeading {
  const fields = services.flatMap(({ name, settings }) => {
    const side = target[name];
    const address = side === undefined ? null : target.embedded ? EMBEDDED_ADDRESS : side.baseUrl;
    const texts = Object.keys(settings).map((setting) => [setting, side?.settings?.[setting] ?? null] as const);
    return [[name, address] as const, ...texts];
  });
  return { environment: target.environment, ...Object.fromEntries(fields) };
}

/** Returns whether two runs use an interface in the same place, or may do so: the address of an environment may have changed. */
export function mayBeAtSame(service: Service, one: TargetHeading, other: TargetHeading): boolean {
  const different = differingFields(one, other);
  if (!different.includes("environment")) return true;
  return placeOf(service).every((field) => !different.includes(field));
}

/** Returns the fields of a heading that locate an interface: its address, and the settings that are part of it. */
export function placeOf({ name, settings }: Service): readonly string[] {
  return [name, ...Object.keys(settings).filter((setting) => settings[setting]?.locates === true)];
}
