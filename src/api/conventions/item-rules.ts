import {
  isRecord,
  type JsonRecord,
  type LabelSelector,
  selectorFault,
  selects,
} from "../../../packages/apimachinery/index.ts";
import { isLegalGlob, matchesGlob } from "./glob.ts";

/** What a resource policy says about single items of some types. */
export interface ItemRule {
  /** As they were written; none means every type that no other rule names. */
  readonly kinds: readonly string[];
  /** One of them must fit; with none labels do not matter. */
  readonly selectors: readonly LabelSelector[];
  /** Patterns, one of which must fit; with none every name does. */
  readonly names: readonly string[];
  readonly excludedNames: readonly string[];
}

/** The two sections of a resource policy that filter items: both are of upstream's releases after 1.18. */
export interface ItemRules {
  readonly cluster: readonly ItemRule[];
  readonly namespaced: readonly {
    /** Names and patterns. */
    readonly namespaces: readonly string[];
    readonly rules: readonly ItemRule[];
  }[];
}

/** What a rule asks of an item. */
interface ItemFacts {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>> | null;
}

/** A type that a rule may name; its scope is unknown where nobody serves it. */
interface RuledType {
  readonly groupResource: string;
  readonly namespaced?: boolean;
}

/** The sections of a policy that hold rules for items. */
export const itemRuleSections = ["clusterScopedFilterPolicy", "namespacedFilterPolicies"] as const;

/** Reads the rules of a policy, undefined when it has none; throws what is wrong with them. */
export function readItemRules(policy: JsonRecord): ItemRules | undefined {
  const [cluster, namespaced] = itemRuleSections.map((name) => policy[name] ?? undefined);
  if (cluster === undefined && namespaced === undefined) return undefined;
  return {
    cluster: cluster === undefined ? [] : clusterRules(cluster),
    namespaced: namespaced === undefined ? [] : namespacedRules(namespaced),
  };
}

/** Whether a name fits a rule; labels are not looked at. */
export function nameFits({ names, excludedNames }: ItemRule, name: string): boolean {
  const fits = (pattern: string) => matchesGlob(pattern, name);
  return !excludedNames.some(fits) && (names.length === 0 || names.some(fits));
}

/** Whether an item fits a rule, by name and labels. */
export function itemFits(rule: ItemRule, { name, labels }: ItemFacts): boolean {
  const { selectors } = rule;
  return (
    nameFits(rule, name) &&
    (selectors.length === 0 || selectors.some((selector) => selects(selector, labels ?? {})))
  );
}

/** Rules with their kinds resolved: which one counts for an item. */
export class Rulebook {
  /** Kinds that have no effect, each with the reason. */
  readonly idle: readonly { readonly kind: string; readonly reason: string }[];
  readonly #cluster: ReadonlyMap<string, ItemRule>;
  readonly #entries: readonly {
    readonly namespaces: readonly string[];
    readonly byType: ReadonlyMap<string, ItemRule>;
    readonly others: ItemRule | undefined;
  }[];
  /** What was found for a namespace; as many as there are namespaces. */
  readonly #found = new Map<string, number>();

  constructor({ cluster, namespaced }: ItemRules, resolve: (word: string) => RuledType | undefined) {
    const idle = new Map<string, string>();
    const byType = (rules: readonly ItemRule[], scope: "cluster" | "namespace") => {
      const found = new Map<string, ItemRule>();
      for (const rule of rules) {
        for (const kind of rule.kinds) {
          const type = resolve(kind);
          if (type === undefined) idle.set(kind, "no type of this name is served");
          else if ((type.namespaced ?? scope === "namespace") !== (scope === "namespace"))
            idle.set(kind, scopeWords[scope]);
          else if (found.has(type.groupResource)) idle.set(kind, "an earlier rule is about the same type");
          else found.set(type.groupResource, rule);
        }
      }
      return found;
    };
    this.#cluster = byType(cluster, "cluster");
    this.#entries = namespaced.map(({ namespaces, rules }) => ({
      namespaces,
      byType: byType(rules, "namespace"),
      others: rules.find(({ kinds }) => kinds.length === 0),
    }));
    this.idle = [...idle].map(([kind, reason]) => ({ kind, reason }));
  }

  /** The rule for items of a type; "none" keeps all of them out, undefined leaves them to the other filters. */
  ruleFor(groupResource: string, namespace: string | undefined): ItemRule | "none" | undefined {
    if (namespace === undefined) return this.#cluster.get(groupResource);
    const entry = this.#entries[this.#entryOf(namespace)];
    return entry && (entry.byType.get(groupResource) ?? entry.others ?? "none");
  }

  /** Whether a namespace has rules of its own. */
  rules(namespace: string): boolean {
    return this.#entryOf(namespace) >= 0;
  }

  /** Every type that the rules name. */
  types(): ReadonlySet<string> {
    return new Set([...this.#cluster.keys(), ...this.#entries.flatMap(({ byType }) => [...byType.keys()])]);
  }

  /** Its own name before any pattern, patterns in their order. */
  #entryOf(namespace: string): number {
    const known = this.#found.get(namespace);
    if (known !== undefined) return known;
    const named = this.#entries.findIndex(({ namespaces }) => namespaces.includes(namespace));
    const found =
      named >= 0
        ? named
        : this.#entries.findIndex(({ namespaces }) =>
            namespaces.some((pattern) => matchesGlob(pattern, namespace)),
          );
    this.#found.set(namespace, found);
    return found;
  }
}

const scopeWords = {
  cluster: "it belongs to namespaces; clusterScopedFilterPolicy is for what does not",
  namespace: "it belongs to no namespace; namespacedFilterPolicies are for what does",
};

function clusterRules(value: unknown): readonly ItemRule[] {
  const where = "clusterScopedFilterPolicy";
  const rules = rulesOf(fields(value, where, ["resourceFilters"])["resourceFilters"], where);
  const odd = rules.findIndex(({ kinds }) => kinds.length === 0);
  if (odd >= 0) throw new Error(`${where}.resourceFilters[${odd}] names no kinds`);
  return rules;
}

function namespacedRules(value: unknown): ItemRules["namespaced"] {
  const seen = new Map<string, number>();
  return list(value, "namespacedFilterPolicies").map((entry, i) => {
    const where = `namespacedFilterPolicies[${i}]`;
    const found = fields(entry, where, ["namespaces", "resourceFilters"]);
    const namespaces = words(found["namespaces"], `${where}.namespaces`);
    if (namespaces.length === 0) throw new Error(`${where} names no namespace`);
    for (const pattern of namespaces) {
      if (!/^[-a-z0-9*?[\]!^]+$/.test(pattern) || pattern.includes("**") || !isLegalGlob(pattern))
        throw new Error(`${where}: "${pattern}" cannot be the name of a namespace`);
      const before = seen.get(pattern);
      if (before !== undefined)
        throw new Error(`${where}: "${pattern}" is in namespacedFilterPolicies[${before}] already`);
      seen.set(pattern, i);
    }
    const rules = rulesOf(found["resourceFilters"], where);
    const open = rules.filter(({ kinds }) => kinds.length === 0);
    if (open.length > 1) throw new Error(`${where} has two resourceFilters for all kinds`);
    if (open.some(({ names, excludedNames }) => names.length + excludedNames.length > 0))
      throw new Error(`${where} has names in the resourceFilters for all kinds`);
    return { namespaces, rules };
  });
}

function rulesOf(value: unknown, where: string): readonly ItemRule[] {
  const rules = list(value, `${where}.resourceFilters`).map((one, i) =>
    ruleOf(one, `${where}.resourceFilters[${i}]`),
  );
  if (rules.length === 0) throw new Error(`${where} has no resourceFilters`);
  const seen = new Map<string, number>();
  for (const [i, { kinds }] of rules.entries()) {
    for (const kind of kinds) {
      const before = seen.get(kind);
      if (before !== undefined)
        throw new Error(`${where}: the kind "${kind}" is in resourceFilters[${before}] and [${i}]`);
      seen.set(kind, i);
    }
  }
  return rules;
}

function ruleOf(value: unknown, where: string): ItemRule {
  const known = ["kinds", "labelSelector", "orLabelSelectors", "names", "excludedNames"];
  const found = fields(value, where, known);
  const one = selectorOf(found["labelSelector"], `${where}.labelSelector`);
  const any = list(found["orLabelSelectors"], `${where}.orLabelSelectors`);
  if (one && any.length > 0)
    throw new Error(`${where}: labelSelector and orLabelSelectors cannot be used together`);
  const selectors = any.flatMap((each, i) => selectorOf(each, `${where}.orLabelSelectors[${i}]`) ?? []);
  return {
    kinds: words(found["kinds"], `${where}.kinds`).filter((kind) => kind !== "*"),
    selectors: one ? [one] : selectors,
    names: patterns(found["names"], `${where}.names`),
    excludedNames: patterns(found["excludedNames"], `${where}.excludedNames`),
  };
}

/** A selector that asks for nothing is none. */
function selectorOf(value: unknown, where: string): LabelSelector | undefined {
  if (value === undefined || value === null) return undefined;
  const found = fields(value, where, ["matchLabels", "matchExpressions"]);
  const labels = Object.entries(record(found["matchLabels"] ?? {}, `${where}.matchLabels`));
  const expressions = list(found["matchExpressions"], `${where}.matchExpressions`).map((each, i) => {
    const at = `${where}.matchExpressions[${i}]`;
    const { key, operator, values } = fields(each, at, ["key", "operator", "values"]);
    if (typeof key !== "string" || typeof operator !== "string") throw new Error(`${at} is no condition`);
    return {
      key,
      operator,
      ...(values !== undefined && { values: words(values, `${at}.values`) }),
    };
  });
  if (labels.length === 0 && expressions.length === 0) return undefined;
  const selector = {
    matchLabels: Object.fromEntries(labels.map(([key, label]) => [key, String(label)])),
    matchExpressions: expressions,
  };
  const fault = selectorFault(selector);
  if (fault !== undefined) throw new Error(`${where}: ${fault}`);
  return selector;
}

function patterns(value: unknown, where: string): readonly string[] {
  const found = words(value, where);
  const odd = found.find((pattern) => !isLegalGlob(pattern));
  if (odd !== undefined) throw new Error(`${where}: "${odd}" is not a pattern that can be read`);
  return found;
}

function fields(value: unknown, where: string, known: readonly string[]): JsonRecord {
  const found = record(value, where);
  const odd = Object.keys(found).find((key) => !known.includes(key));
  if (odd !== undefined) throw new Error(`"${odd}" of ${where} is not known`);
  return found;
}

function record(value: unknown, where: string): JsonRecord {
  if (!isRecord(value)) throw new Error(`${where} is no mapping`);
  return value;
}

function list(value: unknown, where: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Error(`${where} is no list`);
  return value;
}

function words(value: unknown, where: string): readonly string[] {
  return list(value, where).map(String);
}
