import { AppError } from "../../../src/errors.ts";
import { readStatus } from "../../../src/kube/api-error.ts";
import { readCredential } from "../../../src/kube/exec-credential.ts";
import { parseCredentials } from "../../../src/store/credentials.ts";
import { mutateText } from "../bytes.ts";
import { anyJson, mutateJson } from "../json.ts";
import { target } from "../target.ts";

const version = "client.authentication.k8s.io/v1";
const sample = {
  kind: "ExecCredential",
  apiVersion: version,
  status: {
    token: "t",
    clientCertificateData: "c",
    clientKeyData: "k",
    expirationTimestamp: "2026-11-16T10:00:00Z",
  },
};
const status = {
  kind: "Status",
  apiVersion: "v1",
  code: 409,
  reason: "Conflict",
  message: "m",
  metadata: { continue: "x" },
  details: { causes: [{ field: "spec", message: "no" }] },
};
const aws =
  "[default]\naws_access_key_id = a\naws_secret_access_key=b # c\n\n[other]\naws_session_token = t\n";

export const credentials = target<{ readonly text: string; readonly status: string; readonly aws: string }>({
  name: "credentials",
  covers: "what credential plugins print, credentials of object stores, refusals of an API server",
  make: (random) => ({
    text: random.oneIn(3)
      ? mutateText(random, JSON.stringify(sample))
      : JSON.stringify(mutateJson(random, sample)),
    status: random.oneIn(3) ? JSON.stringify(anyJson(random)) : JSON.stringify(mutateJson(random, status)),
    aws: mutateText(random, aws),
  }),
  run(given) {
    readStatus(409, given.status);
    try {
      parseCredentials(given.aws, "default");
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
    readCredential(given.text, version, (why) => new AppError("KUBE_CREDENTIALS", why));
  },
});
