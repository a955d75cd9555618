import { copy, isMap, type Json, same } from "../object.ts";
import { ApiError, badRequest } from "../status.ts";

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: Json;
}

/** JSON patch (RFC 6902): every operation, or a refusal as the API server words it. */
export function jsonPatch(target: Json, patch: Json): Json {
  if (!Array.isArray(patch)) {
    throw badRequest(
      "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
    );
  }
  const root = { "": copy(target) };
  for (const operation of patch as unknown as Operation[]) apply(root, operation);
  return root[""];
}

function apply(root: { "": Json }, { op, path, from, value }: Operation): void {
  switch (op) {
    case "add":
      return put(root, path, value ?? null, "add");
    case "replace":
      // The server's library adds a missing key of an object, but not a missing item of a list.
      if (Array.isArray(parentOf(root, path).parent)) find(root, path, "replace");
      return put(root, path, value ?? null, "replace");
    case "remove":
      return remove(root, path);
    case "test":
      if (!same(lookup(root, path) ?? null, value ?? null))
        refuse(`testing value ${path} failed: test failed`);
      return;
    case "move": {
      const moved = find(root, from ?? "", "move");
      remove(root, from ?? "");
      return put(root, path, moved, "add");
    }
    case "copy":
      return put(root, path, copy(find(root, from ?? "", "copy")), "add");
    default:
      refuse(`Unexpected kind: ${op}`);
  }
}

/** The server hides the library's words, so the reason here is for the reader of this file only. */
function refuse(_why: string): never {
  throw new ApiError(422, "Invalid", "the server rejected our request due to an error in our request", {});
}

function tokens(path: string): string[] {
  if (path === "") return [""];
  if (!path.startsWith("/")) refuse(`bad path ${path}`);
  return [
    "",
    ...path
      .slice(1)
      .split("/")
      .map((t) => t.replaceAll("~1", "/").replaceAll("~0", "~")),
  ];
}

function parentOf(root: { "": Json }, path: string): { parent: Json; key: string } {
  const all = tokens(path);
  const key = all.pop() ?? "";
  let parent: Json | undefined = root as unknown as Json;
  for (const token of all) parent = child(parent, token);
  if (parent === undefined || (!isMap(parent) && !Array.isArray(parent))) refuse(`missing path ${path}`);
  return { parent: parent as Json, key };
}

function child(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return value[position(key, value.length)] as Json | undefined;
  return isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function lookup(root: { "": Json }, path: string): Json | undefined {
  const { parent, key } = parentOf(root, path);
  return child(parent, key);
}

function find(root: { "": Json }, path: string, what: string): Json {
  const found = lookup(root, path);
  if (found === undefined) refuse(`${what} operation does not apply: doc is missing key: ${path}`);
  return found as Json;
}

function put(root: { "": Json }, path: string, value: Json, how: "add" | "replace"): void {
  const { parent, key } = parentOf(root, path);
  if (Array.isArray(parent)) {
    const list = parent as Json[];
    const at = key === "-" ? list.length : position(key, list.length);
    if (at > list.length) refuse(`index out of bounds: ${path}`);
    list.splice(at, how === "replace" ? 1 : 0, value);
  } else if (isMap(parent)) parent[key] = value;
}

function remove(root: { "": Json }, path: string): void {
  find(root, path, "remove");
  const { parent, key } = parentOf(root, path);
  if (Array.isArray(parent)) (parent as Json[]).splice(position(key, parent.length), 1);
  else if (isMap(parent)) delete parent[key];
}

/** Negative indices count from the end, as in the server's library. */
function position(key: string, length: number): number {
  if (!/^-?\d+$/.test(key)) return Number.MAX_SAFE_INTEGER;
  const index = Number(key);
  return index < 0 ? length + index : index;
}
