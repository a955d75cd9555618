import {
  type IncludeExclude,
  includeExclude,
  type LabelSelector,
  parseSelector,
  passes,
  passesEverything,
  selectorFault,
  selects,
} from "../../api/index.ts";
import type { ActionSelector } from "./contract.ts";

/** What of an item decides whether an action sees it. */
interface OfferedItem {
  /** `deployments.apps`, `pods`. */
  readonly groupResource: string;
  /** "" for items without one. */
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A selector with its words resolved. */
export interface Applies {
  /** Whether any item of a type can be meant: most types are passed over with this alone. */
  type(groupResource: string): boolean;
  item(offered: OfferedItem): boolean;
}

/** Reads a selector; `resolve` turns what a plugin wrote (`pvc`, `Deployment`) into the name of a type. Throws where it cannot be read. */
export function appliesOf(selector: ActionSelector, resolve: (word: string) => string | undefined): Applies {
  const types = includeExclude(
    selector.includedResources?.map((word) => resolve(word) ?? word),
    // A type that nobody has needs no exclusion.
    selector.excludedResources?.map((word) => resolve(word) ?? word),
  );
  const namespaces = includeExclude(selector.includedNamespaces, selector.excludedNamespaces);
  const labels = labelsOf(selector.labelSelector ?? "");
  const known = new Map<string, boolean>(); // bounded by the types of the cluster
  const type = (groupResource: string): boolean => {
    const before = known.get(groupResource);
    if (before !== undefined) return before;
    const now = passes(types, groupResource);
    known.set(groupResource, now);
    return now;
  };
  return {
    type,
    item: (offered) =>
      type(offered.groupResource) &&
      inNamespace(namespaces, offered.namespace) &&
      (labels === undefined || selects(labels, offered.labels)),
  };
}

function inNamespace(namespaces: IncludeExclude, namespace: string): boolean {
  return namespace === "" ? passesEverything(namespaces) : passes(namespaces, namespace);
}

function labelsOf(text: string): LabelSelector | undefined {
  if (text.trim() === "") return undefined;
  const selector = parseSelector(text);
  const fault = selector ? selectorFault(selector) : "it cannot be read";
  if (selector === undefined || fault !== undefined)
    throw new Error(`its label selector is "${text}": ${fault}`);
  return selector;
}
