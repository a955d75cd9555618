import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// A run that leaves a process behind has failed.
const globalSetup = "test/harness/leftovers.ts";

/** `npm run test:long`: more rounds, larger trees, every attack. */
const isLong = process.env["HEADWAY_LONG"] === "1";

/** Tests beside their code that run restic and kopia for real: they wait for other programs, as the system tests do. */
const realMovers = [
  "src/movers/{trouble,many-files,vitals}.test.ts",
  "src/movers/{restic,kopia}/run.test.ts",
  "src/movers/contents/reader.test.ts",
  "src/engines/actionset/functions/data/script.test.ts",
];

/** Tiers of tests: unit and system run everywhere, ui needs Chromium, cluster the cluster that KUBECONFIG names. */
export default defineConfig({
  test: {
    // A worker for each core, also where there are only two.
    maxWorkers: "100%",
    projects: [
      {
        test: {
          name: "unit",
          globalSetup,
          include: ["{src,packages,scripts,test/harness,.ci}/**/*.test.ts"],
          exclude: realMovers,
          // A loaded machine is slow, not wrong: five seconds are not enough for properties of thousands of cases.
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "system",
          globalSetup,
          include: ["test/system/**/*.test.ts", "test/*.test.ts", ...realMovers],
          // They wait for other programs for nine tenths of their time. After the unit tests, which compute.
          maxWorkers: availableParallelism() * 2,
          sequence: { groupOrder: 1 },
          // As generous as the cluster tier: a limit is there to end what hangs, not to time a machine that does much else.
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: "ui",
          globalSetup,
          include: ["test/ui/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "cluster",
          globalSetup,
          include: ["test/system/**/*.test.ts", "test/cluster/**/*.test.ts"],
          exclude: [
            // About the sockets of the program itself, with a token that only the embedded cluster gives.
            "test/system/watch/wires.test.ts",
            // They plant refusals themselves; real RBAC is asked by test/cluster/install/roles.test.ts.
            "test/system/restore/rights.test.ts",
            // They play the storage themselves; real storage is in test/cluster/csi.
            "test/system/datapath/*.test.ts",
            // A tier of its own: a default storage class and real snapshot controllers would change what the other tests see.
            "test/cluster/csi/*.test.ts",
            // About the embedded cluster itself, or about none: the system tier has them.
            "test/system/local.test.ts",
            "test/system/bucket/*.test.ts",
            "test/system/kubernetes/{close,kill,node}.test.ts",
            "test/system/podvolume/capabilities.test.ts",
            "test/system/csi/*.test.ts",
            // It stops a mover that runs as a process of this machine.
            "test/system/actionset/stopped.test.ts",
            "test/system/migration/snapshots.test.ts",
            "test/system/drill/*.test.ts",
            "test/system/snapshotter/aws-plugin.test.ts",
            // For a release: minutes of attacks (`npm run attack` is the same by hand), migrations that are killed, long silences, and what
            // is about stores, snapshot plugins, files, terminals and receivers rather than about a cluster. The system tier has all of
            // them but the attacks each time.
            ...(isLong
              ? []
              : [
                  "test/cluster/attack.test.ts",
                  "test/system/migration/{every-phase,kill}.test.ts",
                  "test/system/actionset/silence.test.ts",
                  "test/system/{snapshotter,files}/*.test.ts",
                  "test/system/backup/{clouds,faults,places,s3}.test.ts",
                  "test/system/podvolume/{clouds,places}.test.ts",
                  "test/system/{cli,notify}/*.test.ts",
                  "test/system/watch/{keys,manners,piped}.test.ts",
                  "test/system/install/alerts.test.ts",
                ]),
          ],
          env: { HEADWAY_TEST_CLUSTER: "1" },
          testTimeout: 180_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "csi",
          globalSetup,
          include: ["test/cluster/csi/*.test.ts"],
          env: { HEADWAY_TEST_CLUSTER: "1" },
          testTimeout: 180_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "velero",
          globalSetup,
          include: ["test/velero/**/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // Upstream's server always listens to port 8080: there is one at a time.
          fileParallelism: false,
        },
      },
    ],
  },
});
