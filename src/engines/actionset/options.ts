import type { ActionSetDeps } from "./deps.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** What upstream reads from its environment, and we too. */
export function actionOptions(env: Env): ActionSetDeps["actions"] {
  const minutes = Number(env["KANISTER_POD_READY_WAIT_TIMEOUT"] ?? env["TIMEOUT_WORKER_POD_READY"]);
  const account = env["POD_SERVICE_ACCOUNT"];
  const repositoryMinutes = Number(env["HEADWAY_REPOSITORY_TIMEOUT"]);
  return {
    toolsImage: env["KANISTER_TOOLS"] ?? env["HEADWAY_IMAGE"] ?? "ghcr.io/kanisterio/kanister-tools:0.119.0",
    podReadyMs: (minutes > 0 ? minutes : 15) * 60_000,
    podDefaults: {
      secure: env["SECURE_DEFAULTS_FOR_JOB_PODS"] === "true",
      imagePullPolicy: env["HEADWAY_IMAGE_PULL_POLICY"] ?? "IfNotPresent",
    },
    ...(repositoryMinutes > 0 && { repositoryMs: repositoryMinutes * 60_000 }),
    ...(account && { serviceAccount: account }),
    percent: "decimal",
    concurrent: 200,
  };
}
