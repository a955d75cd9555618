import { AppError } from "../errors.ts";
import { type Attempt, explainRefusal, type Refusal } from "./refusal.ts";

/** Turns what the S3 client throws into an error that a person can act on, without anything secret. */
export function explainS3(error: unknown, attempt: Attempt): AppError {
  if (error instanceof AppError) return error;
  const refusal = refusalOf(error);
  // The client's own error object carries the request with its signature; only its words go on.
  const cause = new Error(refusal.message);
  cause.name = refusal.name;
  return explainRefusal(refusal, attempt, cause);
}

/** Whether the error says that the object (not the bucket) is not there. */
export function isMissingObject(error: unknown): boolean {
  const { name, status } = refusalOf(error);
  return name === "NoSuchKey" || name === "NotFound" || (status === 404 && name !== "NoSuchBucket");
}

function refusalOf(error: unknown): Refusal {
  if (!(error instanceof Error)) return { name: "", message: String(error) };
  const { name, message } = error;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const meta: unknown = "$metadata" in error ? error.$metadata : undefined;
  const status =
    typeof meta === "object" && meta !== null && "httpStatusCode" in meta ? meta.httpStatusCode : undefined;
  return {
    name: name === "Error" ? code : name,
    // oxlint-disable-next-line no-control-regex -- the text comes from a server and goes to a terminal
    message: message.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").slice(0, 300),
    ...(typeof status === "number" && status > 0 && { status }),
  };
}
