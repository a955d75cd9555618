import {
  kinds,
  type MigCluster,
  type MigHook,
  type MigMigration,
  type MigPlan,
  type MigStorage,
} from "../../../src/api/index.ts";
import { hookConditions } from "../../../src/engines/migration/hook-faults.ts";
import { planFaults } from "../../../src/engines/migration/plan-faults.ts";
import { planWarnings, versionWarning } from "../../../src/engines/migration/plan-warnings.ts";
import {
  claimOf,
  copiedClaims,
  namespacesOf,
  volumesToMigrate,
} from "../../../src/engines/migration/shapes.ts";
import { readRoot, writeLines } from "../../../src/kinds/index.ts";
import type { Json } from "../json.ts";
import { anObject, stored } from "../schema.ts";
import { target } from "../target.ts";

/** A plan and what it names. */
export const migrations = target<Readonly<Record<"plan" | "source" | "storage" | "hook" | "run", Json>>>({
  name: "migrations",
  covers:
    "plans of migrations with their clusters, storages and hooks: what is wrong with them, which volumes they mean, how far a run is",
  make: (random) => ({
    plan: anObject(random, kinds.MigPlan),
    source: anObject(random, kinds.MigCluster),
    storage: anObject(random, kinds.MigStorage),
    hook: anObject(random, kinds.MigHook),
    run: anObject(random, kinds.MigMigration),
  }),
  run(given) {
    const [plan, source, storage, hook] = [
      stored<MigPlan>(given.plan),
      stored<MigCluster>(given.source),
      stored<MigStorage>(given.storage),
      stored<MigHook>(given.hook),
    ];
    const run = stored<MigMigration>(given.run);
    if (hook) hookConditions(hook);
    if (run) {
      readRoot(run, []);
      for (const { details = [], phase } of run.status?.pipeline ?? []) writeLines(details, phase, 0);
    }
    if (!plan) return false;
    planFaults(plan, { source, destination: source, storage, hooks: hook ? [hook] : [], plans: [plan] });
    namespacesOf(plan);
    for (const volume of volumesToMigrate(plan)) claimOf(volume);
    copiedClaims(plan);
    planWarnings([], volumesToMigrate(plan).length);
    versionWarning({ name: "a", gitVersion: plan.metadata.name }, { name: "b", gitVersion: "v1.34.1" });
    return undefined;
  },
});
