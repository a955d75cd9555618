import { bool, choice, listOf, obj, str, stringMap, strings, type Typed } from "./schema.ts";

const atomic = { "x-kubernetes-map-type": "atomic" } as const;

/** A selection of objects by their labels. */
export const labelSelector = (description: string) => ({
  ...obj(description, {
    matchExpressions: listOf(
      "Requirements, all of which must hold",
      obj(
        "One requirement",
        {
          key: str("The label's name"),
          operator: str("In, NotIn, Exists or DoesNotExist"),
          values: strings("The values for In and NotIn"),
        },
        ["key", "operator"],
      ),
    ),
    matchLabels: stringMap("Labels that must have exactly these values"),
  }),
  ...atomic,
});

/** A reference to any object. */
export const objectReference = (description: string) => ({
  ...obj(description, {
    apiVersion: str("The object's group and version"),
    fieldPath: str("The part of the object that is meant, when not all of it is"),
    kind: str("The object's kind"),
    name: str("The object's name"),
    namespace: str("The object's namespace"),
    resourceVersion: str("The exact version of the object that is meant"),
    uid: str("The object's uid"),
  }),
  ...atomic,
});

/** A reference to an object of some kind in the same namespace. */
export const typedLocalReference = (description: string) => ({
  ...obj(
    description,
    {
      apiGroup: str("The object's group; absent for the core group"),
      kind: str("The object's kind"),
      name: str("The object's name"),
    },
    ["kind", "name"],
  ),
  ...atomic,
});

/** A key in a Secret of the same namespace. */
export const secretKey = (description: string) => ({
  ...obj(
    description,
    {
      key: str("The key inside the Secret"),
      name: str("The Secret's name", { default: "" }),
      optional: bool("Whether the Secret or its key may be missing"),
    },
    ["key"],
  ),
  ...atomic,
});

/** A reference to any object. */
export type ObjectReference = Typed<ReturnType<typeof objectReference>>;

/** What a failing hook does to the item it belongs to. */
export const onError = () => choice("What a failure does: Continue or Fail", ["Continue", "Fail"]);
