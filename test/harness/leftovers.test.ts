import { expect, test } from "vitest";
import { leftBehind, type Run, type Seen } from "./leftovers.ts";

const seen = (more: Partial<Seen>): Seen => ({
  pid: 200,
  parent: 1,
  command: "sleep 600",
  environment: [],
  folder: "/",
  ...more,
});
const server = { command: "kube-apiserver --audit-policy-file=/src/headway/policy.yaml" };
const run: Run = {
  pid: 100,
  mark: "m1",
  root: "/src/headway",
  before: new Map([7, 8].map((pid) => [pid, seen({ ...server, pid })])),
};
const marked = (mark: string) => ({ environment: ["PATH=/bin", `HEADWAY_TEST_RUN=${mark}`] });

test.each([
  ["with the run's mark", seen(marked("m1"))],
  ["with the mark, below a process that lives", seen({ ...marked("m1"), parent: 199 })],
  [
    "without a mark, of a program of the repository",
    seen({ command: "node /src/headway/bin/headway.js local up" }),
  ],
  ["without a mark, at work in the repository", seen({ folder: "/src/headway" })],
])("leftBehind() names a process %s", (_, one) => {
  expect(leftBehind([one], run)).toEqual([one]);
});

test.each([
  ["the run itself", seen({ ...marked("m1"), pid: 100 })],
  ["what was there before", seen({ pid: 7, folder: "/src/headway" })],
  ["what another run started", seen({ ...marked("m2"), folder: "/src/headway" })],
  [
    "a worker of the run",
    seen({ ...marked("m1"), parent: 100, command: "node /src/headway/node_modules/vitest/w" }),
  ],
  ["a person's shell in the repository", seen({ parent: 50, folder: "/src/headway", command: "bash" })],
  ["what has nothing to do with it", seen({})],
])("leftBehind() leaves out %s", (_, one) => {
  expect(leftBehind([one], run)).toEqual([]);
});

test("leftBehind() leaves out a server of before that was killed and started again, and names a second one", () => {
  const again = seen({ ...server, pid: 300 });
  const first = [seen({ ...server, pid: 7 }), again];
  expect(leftBehind(first, run)).toEqual([]);
  expect(leftBehind([...first, seen({ ...server, pid: 8 })], run)).toEqual([again]);
});
