import { expect, test } from "vitest";
import { explain } from "./failure.ts";
import * as kopia from "./kopia/failure.ts";
import * as restic from "./restic/failure.ts";

const base = {
  kind: "restic",
  verb: "open it",
  where: "/repo",
  killedBy: undefined,
  errTail: "",
  words: [...restic.words, ...kopia.words],
  exits: restic.exits,
};

// Words of restic 0.14, restic 0.18 and kopia 0.21, as they came.
test.each([
  [1, "Fatal: wrong password or no key found", { code: "MOVER_PASSWORD" }],
  [12, "", { code: "MOVER_PASSWORD" }],
  [
    1,
    "ERROR failed to open repository: unable to create format manager: invalid repository password",
    { code: "MOVER_PASSWORD" },
  ],
  [1, "unable to create lock in backend: repository is already locked by PID 7", { code: "MOVER_LOCKED" }],
  [11, "", { code: "MOVER_LOCKED" }],
  [1, "Is there a repository at the following location?", { code: "MOVER_REPOSITORY" }],
  [10, "", { code: "MOVER_REPOSITORY_MISSING" }],
  [
    1,
    "Fatal: unable to open config file: stat /srv/x/config: no such file or directory\nIs there a repository at the following location?\n/srv/x",
    { code: "MOVER_REPOSITORY_MISSING" },
  ],
  [
    1,
    "Fatal: unable to open config file: Stat: The specified key does not exist.\nIs there a repository at the following location?\ns3:x",
    { code: "MOVER_REPOSITORY_MISSING" },
  ],
  [
    1,
    'Fatal: unable to open config file: Stat: Get "http://h/existing-backups/": dial tcp: connect: connection refused\nIs there a repository at the following location?\ns3:http://h/existing-backups',
    { code: "MOVER_REPOSITORY" },
  ],
  [
    1,
    "ERROR unable to get repository storage: found existing data in storage location",
    { code: "MOVER_REPOSITORY_THERE" },
  ],
  [
    1,
    "error connecting to repository: repository not initialized in the provided storage",
    { code: "MOVER_REPOSITORY_MISSING" },
  ],
  [1, "dial tcp 127.0.0.1:1: connect: connection refused", { code: "MOVER_REPOSITORY" }],
  [
    1,
    'invalid id "deadbeef": no matching ID found for prefix "deadbeef"',
    { code: "MOVER_SNAPSHOT", retry: false },
  ],
  [1, "write /repo/tmp: no space left on device", { code: "MOVER_SPACE" }],
  [
    1,
    "unable to create lock in backend: write /repo/locks/1: no space left on device",
    { code: "MOVER_SPACE" },
  ],
  [2, "panic: runtime error", { code: "MOVER_EXIT" }],
])("explain() tells exit %i with %j as %j", (exitCode, errTail, want) => {
  expect(explain({ ...base, exitCode, errTail })).toMatchObject(want);
});

test("explain() names what, where, how, and the last words", () => {
  const errTail = ["one", "two", "three", "\u001b[31mfour\u001b[0m", "five", ""].join("\n");
  expect(explain({ ...base, exitCode: 1, errTail }).message).toBe(
    "restic could not open it (/repo), exit 1: two; three; four; five",
  );
  expect(explain({ ...base, exitCode: undefined, killedBy: "SIGKILL" }).message).toBe(
    "restic could not open it (/repo), killed by SIGKILL",
  );
});
