import { type Command, clusterFlags, makeFlags, outputFlag } from "../command.ts";

export const plan: Command = {
  name: "plan",
  summary: "say what migrates from where to where",
  aliases: ["plans"],
  commands: [
    {
      name: "create",
      summary: "make a plan",
      args: [{ name: "NAME", description: "the plan's name", required: true }],
      flags: [
        ...clusterFlags,
        { name: "from", value: "CLUSTER", description: "the cluster to migrate from", required: true },
        { name: "to", value: "CLUSTER", description: "the cluster to migrate to", required: true },
        { name: "storage", value: "NAME", description: "the storage in between", required: true },
        {
          name: "namespaces",
          value: "LIST",
          description: "namespaces, each as name or source:destination",
          repeat: true,
          required: true,
        },
        {
          name: "hook",
          value: "PHASE=HOOK:NAMESPACE:ACCOUNT",
          description: "a MigHook to run at PreBackup, PostBackup, PreRestore or PostRestore",
          repeat: true,
        },
        { name: "wait", short: "w", description: "stay until the plan is ready" },
        ...makeFlags,
      ],
      exits: { 1: "with --wait: the plan did not become ready" },
      examples: ["headway plan create shop --from blue --to green --storage shared --namespaces shop --wait"],
      async run(input, io, signal) {
        const { createPlan } = await import("../plan/run.ts");
        return createPlan(input, io, signal);
      },
    },
    {
      name: "get",
      summary: "list plans",
      args: [{ name: "NAME", description: "names of plans (default: all)", repeat: true }],
      flags: [...clusterFlags, outputFlag("table", "wide", "json", "yaml", "name")],
      async run(input, io, signal) {
        const { getPlans } = await import("../plan/run.ts");
        await getPlans(input, io, signal);
      },
    },
    {
      name: "describe",
      summary: "tell everything about plans",
      args: [{ name: "NAME", description: "names of plans", repeat: true, required: true }],
      flags: clusterFlags,
      async run(input, io, signal) {
        const { describePlans } = await import("../plan/run.ts");
        await describePlans(input, io, signal);
      },
    },
    {
      name: "close",
      summary: "end a plan and remove what its runs left",
      description:
        "Deletes the backups and restores of the plan's migrations, and the storage's location unless another plan uses it. What was migrated stays.",
      args: [{ name: "NAME", description: "the plan's name", required: true }],
      flags: [...clusterFlags, { name: "wait", short: "w", description: "stay until everything is removed" }],
      exits: { 1: "with --wait: not everything could be removed" },
      async run(input, io, signal) {
        const { closePlan } = await import("../plan/run.ts");
        return closePlan(input, io, signal);
      },
    },
  ],
};
