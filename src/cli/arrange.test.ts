import { expect, test } from "vitest";
import { arrange } from "./arrange.ts";
import { type Command, clusterFlags } from "./command.ts";
import { verb } from "./verbs.ts";

const run = async () => {};
const dryRun = {
  name: "dry-run",
  value: "MODE",
  description: "",
  choices: ["none", "client"],
  alone: "client",
};
const backup: Command = {
  name: "backup",
  summary: "backups",
  aliases: ["backups"],
  commands: [
    { name: "get", summary: "list", flags: [...clusterFlags], run },
    { name: "create", summary: "make", flags: [...clusterFlags, dryRun], run },
  ],
};
const mover: Command = {
  name: "mover",
  summary: "movers",
  flags: [{ name: "dry-run", description: "" }],
  run,
};
const version: Command = { name: "version", summary: "version", run };
const root: Command = {
  name: "headway",
  summary: "all",
  commands: [backup, verb("get", "list things", [backup, mover]), mover, version],
};

test.each([
  ["a flag in front with its value", "--kubeconfig F backup get", "backup get --kubeconfig F"],
  ["one with an equals sign", "--kubeconfig=F backup get", "backup get --kubeconfig=F"],
  ["a short one", "-n velero backup get", "backup get -n velero"],
  ["a short one with its value", "-nvelero backup get", "backup get -nvelero"],
  ["between the words", "backup -n velero get b", "backup get -n velero b"],
  ["several, one of them a switch", "--no-color --context c backup get", "backup get --no-color --context c"],
  ["one that the command does not have", "--kubeconfig F version", "version"],
  ["a verb in front", "get backups b", "get backup b"],
  ["a verb with a name behind a slash", "get backup/b -o json", "get backup b -o json"],
  ["--version", "--version", "version"],
  ["-v", "-v", "version"],
  ["a flag alone", "backup create b --dry-run", "backup create b --dry-run=client"],
  ["a flag of the same name that is a switch", "mover --dry-run", "mover --dry-run"],
  ["an unknown word", "bakcup get", "bakcup get"],
  ["an unknown flag", "--frob backup get", "--frob backup get"],
  ["what comes after --", "backup create -- --dry-run", "backup create -- --dry-run"],
])("arrange() takes %s", (_title, given, want) => {
  expect(arrange(root, given.split(" ")).join(" ")).toBe(want);
});

test("verb() has a command for each noun that can do it, and says what it is the same as", () => {
  expect(verb("get", "list things", [backup, mover]).commands).toMatchObject([
    { name: "backup", aliases: ["backups"], sameAs: "backup get" },
  ]);
});
