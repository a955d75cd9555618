import { expect, test } from "vitest";
import { root } from "../table.ts";
import { nextWords } from "./candidates.ts";
import { clusterOf } from "./run.ts";

const words = (line: string) => nextWords(root, line.split(" ")).fixed.map(({ word }) => word);
const names = (line: string) => nextWords(root, line.split(" ")).names;

test.each([
  ["", "backup"],
  ["backup ", "create"],
  ["-n velero backup ", "create"],
  ["backup create x --st", "--storage-location"],
  ["backup create --wait x --", "--include-namespaces"],
  ["get backups -", "--output"],
  ["-", "--kubeconfig"],
  ["backup get -o ", "wide"],
  ["backup get --output=", "--output=wide"],
  ["get operations --state running,", "running,stalled"],
  ["restore create r --existing-resource-policy ", "update"],
  ["backup create x --snapshot-volumes=", "--snapshot-volumes=false"],
  ["completion ", "zsh"],
])("nextWords() after `headway %s` offers %s", (line, word) => {
  expect(words(line)).toContain(word);
});

test.each([
  ["backup describe ", "backup", ""],
  ["describe backup ", "backup", ""],
  ["backup delete a ", "backup", ""],
  ["restore create r --from-backup ", "backup", ""],
  ["restore create r --from-backup=", "backup", "--from-backup="],
  ["backup create x --storage-location ", "location", ""],
  ["backup create x --include-namespaces a,", "namespace", "a,"],
  ["plan create p --from ", "cluster", ""],
  ["-n ", "namespace", ""],
  ["backup get --context ", "context", ""],
  ["watch ", "operation", ""],
])("nextWords() after `headway %s` wants names of %s", (line, noun, prefix) => {
  expect(names(line)).toEqual({ noun, prefix });
});

test.each(["backup create ", "version ", "location create ", "nonsense "])(
  "nextWords() after `headway %s` wants no names",
  (line) => {
    expect(names(line)).toBeUndefined();
  },
);

test("nextWords() does not offer what is not for people", () => {
  expect(words("")).not.toContain("__complete");
});

test("clusterOf() finds the cluster in the words, wherever they stand", () => {
  const line = "--kubeconfig f backup describe -n shop --context=c ";
  expect(clusterOf(root, line.split(" "))).toEqual({ kubeconfig: "f", namespace: "shop", context: "c" });
});
