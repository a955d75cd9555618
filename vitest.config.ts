import { defineConfig } from "vitest/config";

/** Tiers of tests: unit and system run everywhere, ui needs Chromium, cluster the cluster that KUBECONFIG names. */
export default defineConfig({
  test: {
    // Most tests wait for other programs: a worker for each core, also where there are only two.
    maxWorkers: "100%",
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "scripts/**/*.test.ts"],
          // A loaded machine is slow, not wrong: five seconds are not enough for properties of thousands of cases.
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "system",
          include: ["test/system/**/*.test.ts", "test/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "ui",
          include: ["test/ui/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "cluster",
          include: ["test/system/**/*.test.ts", "test/cluster/**/*.test.ts"],
          exclude: [
            // About the sockets of the program itself, with a token that only the embedded cluster gives.
            "test/system/watch/wires.test.ts",
            // They plant refusals themselves; real RBAC is asked by test/cluster/install/roles.test.ts.
            "test/system/restore/rights.test.ts",
            // Wants to be the only operator of its cluster: a second one publishes the same Operations in its own words.
            "test/system/observe/surfaces.test.ts",
          ],
          env: { HEADWAY_TEST_CLUSTER: "1" },
          testTimeout: 180_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "velero",
          include: ["test/velero/**/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
