import type { ActionSet, Blueprint } from "../../api/index.ts";
import { type Json, plainText, recordOf } from "./args.ts";
import { blueprintProblems, pathText } from "./blueprint-check.ts";
import { actionSetFaults } from "./validate.ts";

/** Warnings that one answer may carry; kubectl prints each. */
const mostWarnings = 20;

/**
 * Answers an AdmissionReview about a Blueprint or an ActionSet.
 *
 * As upstream's webhook does, it refuses unknown functions and arguments, odd labels and repeated names. What templates seem to get wrong is a
 * warning: they are judged when they are rendered.
 */
export function review(body: unknown): Json {
  const { request: asked, apiVersion } = recordOf(body);
  const request = recordOf(asked);
  const object = recordOf(request["object"]);
  const { refusals, warnings } = judge(plainText(recordOf(request["kind"])["kind"]), object);
  return {
    apiVersion: plainText(apiVersion) || "admission.k8s.io/v1",
    kind: "AdmissionReview",
    response: {
      uid: plainText(request["uid"]),
      allowed: refusals.length === 0,
      ...(refusals.length > 0 && { status: { code: 422, reason: "Invalid", message: refusals.join("; ") } }),
      ...(warnings.length > 0 && { warnings: warnings.slice(0, mostWarnings) }),
    },
  };
}

function judge(kind: string, object: Json): { refusals: readonly string[]; warnings: readonly string[] } {
  if (kind === "ActionSet") {
    return { refusals: actionSetFaults(object as Pick<ActionSet, "spec" | "status">), warnings: [] }; // read, never trusted
  }
  if (kind !== "Blueprint") return { refusals: [], warnings: [] };
  const problems = blueprintProblems(object as Pick<Blueprint, "actions">); // read, never trusted
  const words = problems.map(({ path, message }) => `${pathText(path)}: ${message}`);
  const refuses = problems.map(({ severity, inTemplate }) => severity === "error" && inTemplate !== true);
  return {
    refusals: words.filter((_, i) => refuses[i]),
    warnings: words.filter((_, i) => !refuses[i]),
  };
}
