import { obj, str, stringMap } from "../schema.ts";

/** Group and version of Kanister's kinds. */
export const v1alpha1 = { group: "cr.kanister.io", version: "v1alpha1" } as const;

const referenceFields = {
  apiVersion: str("The object's version, without its group"),
  group: str("The object's group; empty for the core group"),
  resource: str("The plural name of the object's kind"),
  kind: str("The object's kind, in any case"),
  name: str("The object's name"),
  namespace: str("The object's namespace"),
};

/** A reference as Kanister writes it: not the one of the core API. */
export const reference = (description: string) => obj(description, referenceFields);

/** A reference whose fields Go always writes. */
export const fullReference = (description: string) =>
  obj(description, referenceFields, ["apiVersion", "group", "kind", "name", "resource"]);

/** What one action hands to a later one. */
export const artifact = obj("An artifact", {
  keyValue: stringMap("Texts by name"),
  kopiaSnapshot: str("A kopia snapshot, as the JSON text that kando wrote"),
});
