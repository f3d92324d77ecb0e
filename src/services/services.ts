import { contract, type ContractInterface, type InterfaceName } from "../contract/contract.ts";
import type { Conserved } from "./conserved.ts";
import * as list from "./list.ts";
import type { Meaning } from "./meaning.ts";
import type { EntityIdentity, ServiceDescriptor } from "./service.ts";

/** One interface of the service: its contract, and the descriptor in its folder. */
export type Service = Omit<ServiceDescriptor, "meanings"> &
  ContractInterface & { readonly meanings: Readonly<Record<string, Meaning>> };

// An interface of the contract that has no descriptor does not compile.
const descriptors: { readonly [Name in InterfaceName]: ServiceDescriptor<Name> } = list;

/** Every interface of the service, in the order of the contract. */
export const services: readonly Service[] = Object.values(contract.interfaces).map((written) => ({
  ...written,
  ...(descriptors[written.name] as Pick<Service, keyof ServiceDescriptor>),
}));

const byName = new Map(services.map((service) => [service.name, service]));

/** Returns the interface of this name. */
export function serviceNamed(name: InterfaceName): Service {
  const service = byName.get(name);
  if (service === undefined) throw new RangeError(`there is no interface called "${name}"`);
  return service;
}

/** Returns the interface of an operation; `undefined` if none has it. */
export function serviceOf(operation: string): Service | undefined {
  const written = Object.hasOwn(contract.operations, operation) ? contract.operations[operation] : undefined;
  return written === undefined ? undefined : serviceNamed(written.interface);
}

/** An interface whose callers are entities. */
export type EntityService = Service & { readonly identity: EntityIdentity };

/** Returns whether the callers of an interface are entities, on whose behalf one key acts. */
export function hasEntities(service: Service): service is EntityService {
  return service.identity.kind === "entity";
}

/** The conserved quantities of all interfaces, by their names in `conserve`. */
export const conservedThings: ReadonlyMap<string, Conserved> = new Map(
  services.flatMap(({ conserves }) => Object.entries(conserves)),
);
