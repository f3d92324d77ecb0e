import type { InterfaceName } from "../contract/contract.ts";
import type { Profile } from "../contract/profile.ts";
import type { Secret } from "../base/secret.ts";
import { EMBEDDED_ADDRESS, type TargetHeading } from "../protocol/record.ts";
import { hasEntities, type Service, services } from "../services/services.ts";

/** Where a playbook runs: addresses, identities and the profile, resolved. */
export type Target = Surroundings & { readonly [Name in InterfaceName]?: ServiceTarget | undefined };

interface Surroundings {
  readonly environment: string;
  /** The sandbox of this process: its port changes from run to run. */
  readonly embedded: boolean;
  readonly profile: Profile;
  /** Nobody else acts as these entities while we run. */
  readonly exclusive: boolean;
  /** After this time a write that cannot be seen had no effect, says the operator; `undefined`: nobody says so. */
  readonly settleWithinMs: number | undefined;
  /** How old the moment may be that a read shows, says the operator; `undefined`: nobody says so. */
  readonly readLagMs: number | undefined;
  /** How long one request may take. */
  readonly timeoutMs: number;
  /** How fast reads may be asked for; `undefined`: as fast as they come. */
  readonly pacing?: Pacing | undefined;
  /** Where a setting is written, for messages: `tokenbook.yaml:4 (environments.staging.ledger.apiKey)`. */
  readonly whereIs: (setting: string) => string;
}

/** What an interface allows of reads. */
export interface Pacing {
  readonly perSecond: number | undefined;
  readonly atOnce: number | undefined;
}

/** Where one interface is, and the keys to it. */
export type ServiceTarget = EntityTarget | CredentialTarget;

interface Reachable {
  readonly baseUrl: string;
  /** The texts that only this interface has, such as its app. */
  readonly settings?: Readonly<Record<string, string>>;
}

interface EntityTarget extends Reachable {
  readonly apiKey: Secret;
  /** The entity that the key itself stands for, such as `userId:alice`; `undefined` where nobody says. */
  readonly keyEntity?: string | undefined;
}

interface CredentialTarget extends Reachable {
  readonly credentials: ReadonlyMap<string, Secret>;
}

/** Returns the keys of an interface by their credentials; none where callers are entities. */
export function credentialsOf(side: ServiceTarget | undefined): ReadonlyMap<string, Secret> {
  return side !== undefined && "credentials" in side ? side.credentials : new Map<string, Secret>();
}

/** Returns the key by which an interface is called; `undefined` where there is none of this credential. */
export function keyOf(side: ServiceTarget, credential: string | undefined): Secret | undefined {
  return "apiKey" in side ? side.apiKey : side.credentials.get(credential ?? "");
}

/** Returns the entity that the key of an interface stands for, where the environment says which that is. */
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

/** Returns what the journal keeps of a target: enough to tell whether a resumed run acts in the same place. */
export function headingOf(target: Target): TargetHeading {
  const fields = services.flatMap(({ name, settings }) => {
    const side = target[name];
    const address = side === undefined ? null : target.embedded ? EMBEDDED_ADDRESS : side.baseUrl;
    const texts = Object.keys(settings).map((setting) => [setting, side?.settings?.[setting] ?? null] as const);
    return [[name, address] as const, ...texts];
  });
  return { environment: target.environment, ...Object.fromEntries(fields) };
}

/** Whether two runs reach an interface in the same place. A run of an earlier version knows nothing of a newer interface. */
export function areAtSame(service: Service, one: TargetHeading, other: TargetHeading): boolean {
  return placeOf(service).every((field) => (one[field] ?? null) === (other[field] ?? null));
}

/** Returns the fields of a heading that say where an interface is: its address, and the settings that are a part of it. */
export function placeOf({ name, settings }: Service): readonly string[] {
  return [name, ...Object.keys(settings).filter((setting) => settings[setting]?.locates === true)];
}
