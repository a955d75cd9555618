import { expect, test } from "vitest";
import { AppError } from "../errors.ts";
import { ApiError } from "../kube/index.ts";
import { exitOf, plainWords } from "./plain-words.ts";

function refused(code: number, reason: string, about?: typeof nope): ApiError {
  const message = `backups.velero.io "nope" is the matter`;
  const status = { code, reason, message, ...(about && { about }) };
  return new ApiError('get backups.velero.io "velero/nope"', status);
}
const nope = { name: "nope", resource: "backups" };

test.each([
  [
    "an object that is not there",
    refused(404, "NotFound", nope),
    'there is no backup "nope" in namespace "ns"; `headway get backup` lists those that are there, -n names another namespace',
  ],
  [
    "a name that is taken",
    refused(409, "AlreadyExists", nope),
    'there is a backup "nope" in namespace "ns" already: choose another name',
  ],
  [
    "credentials that are not accepted",
    refused(401, "Unauthorized"),
    "the cluster does not accept these credentials (Unauthorized): log in again, or name another --context or --kubeconfig",
  ],
  [
    "a right that is missing",
    refused(403, "Forbidden"),
    'the cluster does not allow it: backups.velero.io "nope" is the matter',
  ],
  [
    "an object of another kind, in the server's words",
    refused(404, "NotFound", { name: "x", resource: "pods" }),
    'get backups.velero.io "velero/nope": NotFound (404): backups.velero.io "nope" is the matter',
  ],
  ["what was ours to say", new AppError("USAGE", "which backups?"), "which backups?"],
])("plainWords() of %s", (_title, error, words) => {
  expect(plainWords(error, "ns")).toBe(words);
});

test("plainWords() of a bug says where it is", () => {
  expect(plainWords(new Error("odd"), "ns")).toContain("plain-words.test.ts");
});

test("exitOf() is 3 for credentials that are not accepted, and the code's own otherwise", () => {
  expect(exitOf(refused(401, "Unauthorized"))).toBe(3);
  expect(exitOf(refused(404, "NotFound", nope))).toBe(1);
});
