import { isAlreadyExists, isNotFound } from "../../kube/index.ts";

/** Takes "there is no such object" for an answer. */
export function ignoreNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

/** Takes "there is such an object already" for an answer. */
export function ignoreExisting(error: unknown): undefined {
  if (!isAlreadyExists(error)) throw error;
}
