import type { ActionSetDeps } from "./deps.ts";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * What upstream reads from its environment, and we too. `program` is how this process was started: in a pod of the image that
 * HEADWAY_IMAGE names, other pods of that image can be started so as well.
 */
export function actionOptions(env: Env, program: readonly string[] = []): ActionSetDeps["actions"] {
  const own = env["KUBERNETES_SERVICE_HOST"] === undefined ? undefined : env["HEADWAY_IMAGE"];
  const minutes = Number(env["KANISTER_POD_READY_WAIT_TIMEOUT"] ?? env["TIMEOUT_WORKER_POD_READY"]);
  const account = env["POD_SERVICE_ACCOUNT"];
  const repositoryMinutes = Number(env["HEADWAY_REPOSITORY_TIMEOUT"]);
  return {
    toolsImage: env["KANISTER_TOOLS"] ?? env["HEADWAY_IMAGE"] ?? "ghcr.io/kanisterio/kanister-tools:0.119.0",
    ...(own && program.length > 0 && { own: { image: own, command: program } }),
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
