import type { KubeObject } from "./meta.ts";
import type { Fields, TypedFields } from "./schema.ts";

/** A column of `kubectl get`. */
export interface Column {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly jsonPath: string;
  readonly description?: string;
  readonly format?: string;
  /** Above 0 the column is shown with `-o wide` only. */
  readonly priority?: number;
}

/** Everything the API server has to know about a kind. */
export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  readonly description: string;
  readonly columns: readonly Column[];
  /** Whether `/status` is an endpoint of its own. Upstream mostly has none: status is written on the object itself. */
  readonly statusSubresource: boolean;
  /** The fields beside apiVersion, kind and metadata: mostly spec and status. */
  readonly fields: Fields;
}

/** The TypeScript type of the objects of a kind. */
export type ObjectOf<K extends Kind> = KubeObject & {
  readonly apiVersion: `${K["group"]}/${K["version"]}`;
  readonly kind: K["kind"];
} & TypedFields<K["fields"], never>;

type Given = Pick<Kind, "group" | "version" | "kind" | "plural" | "description" | "fields"> &
  Partial<Pick<Kind, "shortNames" | "columns" | "statusSubresource">>;

/** Completes a kind: namespaced, singular in lower case, no status subresource unless said. */
export function defineKind<const G extends Given>(given: G) {
  return {
    shortNames: [] as readonly string[],
    columns: [] as readonly Column[],
    statusSubresource: false as boolean,
    ...given,
    singular: given.kind.toLowerCase(),
    scope: "Namespaced" as const,
  };
}

/** A column of text, or of another type when said. */
export const column = (
  name: string,
  jsonPath: string,
  type: Column["type"] = "string",
  more: Partial<Column> = {},
): Column => ({ name, type, jsonPath, ...more });

/** A column of whole numbers of 64 bits. */
export const bytesColumn = (name: string, jsonPath: string, more: Partial<Column> = {}): Column =>
  column(name, jsonPath, "integer", { format: "int64", ...more });

/** How long ago the object was created. */
export const ageColumn = column("Age", ".metadata.creationTimestamp", "date");
