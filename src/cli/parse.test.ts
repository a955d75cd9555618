import { expect, test } from "vitest";
import { type Command, type Input, truthFlag } from "./command.ts";
import type { Io } from "./io.ts";
import { parse } from "./parse.ts";

const table: Command = {
  name: "headway",
  summary: "test table",
  commands: [
    {
      name: "backup",
      summary: "backups",
      aliases: ["backups"],
      commands: [
        {
          name: "create",
          summary: "create one",
          args: [{ name: "NAME", description: "its name", required: true }],
          flags: [
            { name: "include-namespaces", value: "LIST", description: "namespaces", repeat: true },
            { name: "kind", value: "KIND", description: "kinds", repeat: true, choices: ["a", "b"] },
            { name: "output", short: "o", value: "FORMAT", description: "format", choices: ["json"] },
            { name: "wait", description: "wait" },
            truthFlag("volumes", "volumes"),
          ],
          exits: { 4: "canceled" },
          examples: ["headway backup create nightly"],
          run: async () => {},
        },
      ],
    },
  ],
};

function fakeIo(): Io & { readonly written: string[] } {
  const written: string[] = [];
  return {
    written,
    out: (text) => void written.push(text),
    err: () => {},
    env: {},
    terminal: undefined,
    color: false,
  };
}

async function input(...argv: string[]): Promise<Input | undefined> {
  return (await parse(table, argv, fakeIo()))?.input;
}

test("parse() gives flags their own names and splits lists on commas", async () => {
  expect(
    await input(
      "backup",
      "create",
      "b1",
      "--include-namespaces",
      "a,b",
      "--include-namespaces=c",
      "--wait",
      "--no-color",
    ),
  ).toEqual({ args: ["b1"], flags: { "include-namespaces": ["a", "b", "c"], wait: true, "no-color": true } });
});

test.each([
  ["alone at the end", ["b1", "--volumes"], "true"],
  ["alone before the name", ["--volumes", "b1"], "true"],
  ["alone before another flag", ["b1", "--volumes", "--wait"], "true"],
  ["with a word", ["--volumes", "false", "b1"], "false"],
  ["with an equals sign", ["--volumes=false", "b1"], "false"],
])("parse() takes yes or no %s", async (_name, argv, volumes) => {
  expect(await input("backup", "create", ...argv)).toMatchObject({ args: ["b1"], flags: { volumes } });
});

test("parse() leaves what comes after -- as it is, and refuses an odd answer", async () => {
  expect(await input("backup", "create", "--", "--volumes")).toMatchObject({ args: ["--volumes"] });
  await expect(input("backup", "create", "b1", "--volumes=perhaps")).rejects.toMatchObject({ code: "USAGE" });
});

test("parse() knows aliases", async () => {
  expect((await input("backups", "create", "b1"))?.args).toEqual(["b1"]);
});

test.each([
  ["an unknown command, with a suggestion", ["bakcup"], "Did you mean backup?"],
  ["an unknown command below a group", ["backup", "craete"], "Did you mean create?"],
  ["an unknown flag, with a suggestion", ["backup", "create", "b1", "--wiat"], "Did you mean --wait?"],
  ["a missing argument", ["backup", "create"], "missing required argument 'NAME'"],
  ["too many arguments", ["backup", "create", "a", "b"], "too many arguments"],
  ["a value outside the set", ["backup", "create", "a", "-o", "xml"], "Allowed choices are json"],
  ["a listed value outside the set", ["backup", "create", "a", "--kind", "a,c"], 'takes a, b, not "c"'],
  ["no command", ["backup"], "which command of `headway backup`?"],
])("parse() refuses %s", async (_name, argv, message) => {
  await expect(input(...argv)).rejects.toMatchObject({
    code: "USAGE",
    message: expect.stringContaining(message),
  });
});

test("parse() of nothing at all shows the help", async () => {
  const io = fakeIo();
  expect(await parse(table, [], io)).toBeUndefined();
  expect(io.written.join("")).toContain("Usage: headway");
});

test("parse() prints help with examples and exit codes, and asks for nothing to run", async () => {
  const io = fakeIo();
  expect(await parse(table, ["backup", "create", "--help"], io)).toBeUndefined();
  const help = io.written.join("");
  expect(help).toContain("headway backup create nightly");
  expect(help).toMatch(/4 {2}canceled/);
});
