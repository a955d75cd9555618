import { expect, test } from "vitest";
import { argumentFaults, signatures } from "./arguments.ts";

test.each([
  ["KubeTask", ["image", "command"], []],
  ["KubeTask", ["image", "command", "namespace", "podOverride"], []],
  ["KubeTask", ["image"], ['function "KubeTask" needs the argument "command"']],
  ["KubeTusk", [], ['there is no function "KubeTusk"']],
  ["constructor", [], ['there is no function "constructor"']],
])("argumentFaults(%s, %j)", (func, names, want) => {
  expect(argumentFaults(func, names)).toEqual(want);
});

test("argumentFaults() names what a function takes, and refuses cloud functions with a reason", () => {
  expect(argumentFaults("LocationDelete", ["artifact", "path"])).toEqual([
    'function "LocationDelete" has no argument "path"; it takes artifact',
  ]);
  expect(argumentFaults("CreateRDSSnapshot", ["instanceID"])).toEqual([
    expect.stringContaining("needs the AWS RDS API"),
  ]);
});

test("no function lists an argument twice", () => {
  for (const [name, { required, optional }] of Object.entries(signatures)) {
    const all = [...required, ...optional];
    expect(all, name).toEqual([...new Set(all)]);
  }
  expect(Object.keys(signatures).length).toBeGreaterThan(30);
});
