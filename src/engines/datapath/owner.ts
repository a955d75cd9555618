import type { Movement } from "./shapes.ts";

/** What a movement makes goes with it, whatever happens. */
export function ownerOf({ apiVersion, kind, metadata }: Movement) {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "", controller: true };
}

/** Whether an object was made for this movement: others may have its name. */
export function isOwned(
  { metadata }: Movement,
  object: { readonly metadata: { readonly ownerReferences?: readonly { readonly uid: string }[] } },
): boolean {
  return object.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) ?? false;
}
