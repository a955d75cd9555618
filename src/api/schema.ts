/** A structural OpenAPI v3 schema, in the subset that a CustomResourceDefinition accepts. */
export interface Schema {
  readonly type?: "string" | "integer" | "number" | "boolean" | "object" | "array";
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly properties?: Fields;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-map-type"?: "atomic";
}

/** The fields of an object, by name. */
export type Fields = Readonly<Record<string, Schema>>;

/** The TypeScript type of the values that a schema accepts. Costs nothing at run time. */
export type Typed<S extends Schema> = S extends { readonly nullable: true } ? Bare<S> | null : Bare<S>;

type Bare<S extends Schema> = S extends { readonly enum: readonly (infer E)[] }
  ? E
  : S extends { readonly "x-kubernetes-int-or-string": true }
    ? number | string
    : S extends { readonly type: "string" }
      ? string
      : S extends { readonly type: "integer" | "number" }
        ? number
        : S extends { readonly type: "boolean" }
          ? boolean
          : S extends { readonly items: infer I extends Schema }
            ? readonly Typed<I>[]
            : S extends { readonly additionalProperties: infer V extends Schema }
              ? Readonly<Record<string, Typed<V>>>
              : S extends { readonly properties: infer P extends Fields }
                ? TypedFields<P, Required<S>>
                : S extends { readonly type: "object" }
                  ? Readonly<Record<string, unknown>>
                  : unknown;

type Required<S extends Schema> = NonNullable<S["required"]>[number];

/** The TypeScript type of an object with these fields; the names in R are required. */
export type TypedFields<P extends Fields, R extends PropertyKey> = Flat<
  { readonly [K in keyof P as K extends R ? K : never]: Typed<P[K]> } & {
    readonly [K in keyof P as K extends R ? never : K]?: Typed<P[K]>;
  }
>;

type Flat<T> = { [K in keyof T]: T[K] };

/** Extra limits that do not change the type. */
type Limits = Pick<Schema, "default" | "pattern" | "minimum" | "maximum" | "minItems">;

/** A string. */
export const str = (description: string, limits: Limits = {}) =>
  ({ type: "string", description, ...limits }) as const;

/** A string out of a closed set. */
export const choice = <const E extends string>(description: string, values: readonly E[]) =>
  ({ type: "string", description, enum: values }) as const;

/** A yes or no. */
export const bool = (description: string) => ({ type: "boolean", description }) as const;

/** A whole number that fits Go's int. */
export const int = (description: string, limits: Limits = {}) =>
  ({ type: "integer", description, ...limits }) as const;

/** A whole number of 64 bits, such as a count of bytes; exact in JavaScript up to 8 PiB. */
export const int64 = (description: string) => ({ type: "integer", format: "int64", description }) as const;

/** A moment: RFC 3339 in UTC with whole seconds, as `metav1.Time` prints it. */
export const time = (description: string) => ({ type: "string", format: "date-time", description }) as const;

/** A moment that clients may also send as null, meaning not yet. */
export const timeOrNull = (description: string) => nullable(time(description));

/** A number with a fraction. */
export const num = (description: string) => ({ type: "number", description }) as const;

/** A span of time as Go prints it, such as `1h30m0s`. */
export const duration = (description: string) => ({ type: "string", description }) as const;

/** Bytes in base64. */
export const base64 = (description: string) => ({ type: "string", format: "byte", description }) as const;

/** An amount such as `10Gi` or `0.5`. */
export const quantity = (description: string) =>
  ({
    description,
    anyOf: [{ type: "integer" }, { type: "string" }],
    pattern: String.raw`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`,
    "x-kubernetes-int-or-string": true,
  }) as const;

/** An object with known fields; the names in `required` must be there. */
// Two signatures: with one, a call inside `defineKind` takes R from its context, and every field becomes required.
export function obj<const P extends Fields>(description: string, properties: P): ObjectSchema<P, never>;
export function obj<const P extends Fields, const R extends keyof P & string>(
  description: string,
  properties: P,
  required: readonly R[],
): ObjectSchema<P, R>;
export function obj(description: string, properties: Fields, required?: readonly string[]): Schema {
  return { type: "object", description, properties, ...(required && { required }) };
}

interface ObjectSchema<P extends Fields, R extends string> extends Schema {
  readonly type: "object";
  readonly properties: P;
  readonly required?: readonly R[];
}

/** A list. */
export const listOf = <const I extends Schema>(description: string, items: I, limits: Limits = {}) =>
  ({ type: "array", description, items, ...limits }) as const;

/** A list of texts. */
export const strings = (description: string, limits: Limits = {}) =>
  listOf(description, { type: "string" }, limits);

/** A list of texts that clients may also send as null. */
export const stringsOrNull = (description: string) => nullable(strings(description));

/** An object with free keys and values of one schema. */
export const mapOf = <const V extends Schema>(description: string, additionalProperties: V) =>
  ({ type: "object", description, additionalProperties }) as const;

/** An object from text to text. */
export const stringMap = (description: string) => mapOf(description, { type: "string" });

/** An object that is kept as it is, whatever it holds. */
export const anyObject = (description: string) =>
  ({ type: "object", description, "x-kubernetes-preserve-unknown-fields": true }) as const;

/** The same schema, where null is accepted too and means the same as absent. */
export const nullable = <S extends Schema>(schema: S): S & { readonly nullable: true } => ({
  ...schema,
  nullable: true,
});

/** The same object, where fields that the schema does not name are kept too. */
export const open = <S extends Schema>(schema: S): S => ({
  ...schema,
  "x-kubernetes-preserve-unknown-fields": true,
});

/** The same schema, described in other words. */
export const described = <S extends Schema>(description: string, schema: S): S => ({
  ...schema,
  description,
});
