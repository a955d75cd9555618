import { type MissingRight, missingRight } from "../../kube/index.ts";

const account = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** What to do when a function lacks a right, however deep its refusal lies; "" when that is not why it failed. */
export function rightsAdvice(error: unknown): string {
  const right = missingIn(error);
  const [, namespace, name] = account.exec(right?.user ?? "") ?? [];
  // Whoever runs the operator with rights of their own knows better how to get more.
  if (right === undefined || namespace === undefined || name === undefined) return "";
  if (right.namespace === undefined) {
    return "; `headway install --action-rights=cluster` gives it the rights of actions in the whole cluster";
  }
  const role = `--clusterrole=headway-actions:${namespace} --serviceaccount=${namespace}:${name}`;
  return `; \`kubectl create rolebinding headway-actions -n ${right.namespace} ${role}\` gives it the rights of actions there`;
}

function missingIn(error: unknown): MissingRight | undefined {
  const seen = new Set<unknown>();
  for (let one = error; one instanceof Error && !seen.has(one); one = one.cause) {
    seen.add(one);
    const right = missingRight(one);
    if (right) return right;
  }
  return undefined;
}
