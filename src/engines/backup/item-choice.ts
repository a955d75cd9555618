import {
  type Backup,
  type ItemRule,
  itemFits,
  type LabelSelector,
  nameFits,
  passes,
  selects,
} from "../../api/index.ts";
import { type Filters, listsType, refusesCompanion, typeName } from "./filters.ts";
import { type Item, type ListJob, type ResourceType, readItem } from "./source.ts";

interface Metadata {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly labels?: Item["metadata"]["labels"];
}

/** The items of a page that its list is read for; all of them where no policy has rules. */
export function ofList({ rules }: Filters, job: ListJob, items: readonly Buffer[]): readonly Buffer[] {
  if (!rules) return items;
  return items.filter((raw) => {
    const { metadata } = readItem(raw);
    const rule = rules.ruleFor(typeName(job.type), metadata.namespace);
    return rule === job.rule && (rule === undefined || itemFits(rule, metadata));
  });
}

/** Which items the filters of a backup let in, one by one. */
export class ItemChoice {
  /** Of the spec: one of them must fit where no rule counts; none when labels do not matter. */
  readonly selectors: readonly LabelSelector[];
  readonly #filters: Filters;

  constructor(filters: Filters, { labelSelector, orLabelSelectors }: NonNullable<Backup["spec"]>) {
    this.#filters = filters;
    this.selectors = labelSelector ? [labelSelector] : (orLabelSelectors ?? []);
  }

  /** The rule of the resource policy for items of a type; "none" keeps them out. */
  ruleFor(type: string, namespace: string | undefined): ItemRule | "none" | undefined {
    return this.#filters.rules?.ruleFor(type, namespace);
  }

  /** Whether the resource policy has rules for a namespace. */
  rules(namespace: string): boolean {
    return this.#filters.rules?.rules(namespace) ?? false;
  }

  /** Whether an item of a listed type belongs in by its name and labels. */
  wants(type: ResourceType, { name, namespace, labels }: Metadata): boolean {
    const rule = this.ruleFor(typeName(type), namespace);
    if (rule !== undefined) return rule !== "none" && itemFits(rule, { name, labels: labels ?? {} });
    return this.selectors.length === 0 || this.selectors.some((selector) => selects(selector, labels ?? {}));
  }

  /** Whether no rule is against a Namespace object. */
  keeps(facts: Metadata): boolean {
    const rule = this.ruleFor("namespaces", undefined);
    return (
      rule === undefined ||
      rule === "none" ||
      itemFits(rule, { name: facts.name, labels: facts.labels ?? {} })
    );
  }

  /** Whether an item that another one needs may come in. Of rules only those for names count, as upstream has it. */
  letsIn(type: ResourceType, { name, namespace }: Metadata): boolean {
    if (namespace !== undefined && !passes(this.#filters.namespaces, namespace)) return false;
    if (!this.allowsName(type, { name, namespace })) return false;
    return type.namespaced ? listsType(this.#filters, type) : !refusesCompanion(this.#filters, type);
  }

  /** Whether no rule is against an item's name. */
  allowsName(type: ResourceType, { name, namespace }: Metadata): boolean {
    const rule = this.ruleFor(typeName(type), namespace);
    return rule === undefined || rule === "none" || nameFits(rule, name);
  }
}
