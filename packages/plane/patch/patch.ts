import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicPatch,
  type JsonOperation,
  type MergeRules,
  PatchError,
} from "../../apimachinery/index.ts";
import { copy, type Json, type JsonMap } from "../object.ts";
import { type FieldType, structOf } from "../schema/types.ts";
import { ApiError, badRequest } from "../status.ts";

/** JSON patch (RFC 6902): every operation, or a refusal as the API server words it. */
export function jsonPatch(target: Json, patch: Json): Json {
  if (!Array.isArray(patch)) {
    throw badRequest(
      "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
    );
  }
  return refused(
    () => copy(applyJsonPatch(target, patch as unknown as JsonOperation[], { replaceAdds: true }) as Json),
    // The server hides the library's words.
    () => new ApiError(422, "Invalid", "the server rejected our request due to an error in our request", {}),
  );
}

/** JSON merge patch (RFC 7386). */
export function mergePatch(target: Json, patch: Json): Json {
  return applyMergePatch(target, patch) as Json; // JSON in, JSON out
}

/** Strategic merge patch of a built-in kind: lists with a merge key are merged item by item. */
export function strategicPatch(structName: string, target: JsonMap, patch: JsonMap): JsonMap {
  const rules = rulesOf({ is: "struct", name: structName, retainKeys: false, atomic: false });
  return refused(
    () => applyStrategicPatch(target, patch, rules) as JsonMap,
    ({ message }) => badRequest(message),
  );
}

function refused<T>(patch: () => T, as: (error: PatchError) => ApiError): T {
  try {
    return patch();
  } catch (error) {
    throw error instanceof PatchError ? as(error) : error;
  }
}

function rulesOf(type: FieldType | undefined): MergeRules {
  return {
    field: (key) => rulesOf(fieldOf(type, key)),
    element: () => rulesOf(type?.is === "list" ? type.of : undefined),
    mergeKey: () => (type?.is === "list" ? type.mergeKey : undefined),
  };
}

function fieldOf(type: FieldType | undefined, key: string): FieldType | undefined {
  if (type?.is === "map") return type.of;
  return type?.is === "struct" ? structOf(type.name)?.fields.get(key)?.type : undefined;
}
