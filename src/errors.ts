/** Every failure a person can act on has a code here, a heading in docs/errors.md and a test that provokes it. */
export const codes = {
  ACTION_ARGUMENTS: { exit: 1 },
  ACTION_BLUEPRINT: { exit: 1 },
  ACTION_COMMAND: { exit: 1 },
  ACTION_FUNCTION: { exit: 1 },
  ACTION_LOST: { exit: 1 },
  ACTION_OBJECT: { exit: 1 },
  ACTION_OUTPUT: { exit: 1 },
  ACTION_POD: { exit: 1 },
  ACTION_PROFILE: { exit: 1 },
  ACTION_TEMPLATE: { exit: 1 },
  ACTION_TIMEOUT: { exit: 1 },
  AGENT_SETTINGS: { exit: 1 },
  ARCHIVE_INVALID: { exit: 1 },
  ARCHIVE_VERSION: { exit: 1 },
  BROWSE_DENIED: { exit: 1 },
  CONVERT_REFUSED: { exit: 1 },
  DEFINITION_NOT_READY: { exit: 1 },
  DEMO_FAILED: { exit: 1 },
  DOWNLOAD_FAILED: { exit: 1 },
  DOWNLOAD_REFUSED: { exit: 1 },
  DRILL_REPORT: { exit: 1 },
  INSTALL_NOT_RUNNING: { exit: 1 },
  INSTALL_REFUSED: { exit: 1 },
  KUBE_API: { exit: 1 },
  KUBE_CONFIG: { exit: 3 },
  KUBE_CREDENTIALS: { exit: 3 },
  KUBE_UNREACHABLE: { exit: 3 },
  LOCAL_RUNNING: { exit: 1 },
  LOCAL_START: { exit: 1 },
  MODIFIER_INVALID: { exit: 1 },
  MOVER_ARGUMENT: { exit: 1 },
  MOVER_EXIT: { exit: 1 },
  MOVER_LOCKED: { exit: 1 },
  MOVER_MISSING: { exit: 1 },
  MOVER_OUTPUT: { exit: 1 },
  MOVER_PASSWORD: { exit: 1 },
  MOVER_PATH: { exit: 1 },
  MOVER_REPOSITORY: { exit: 1 },
  MOVER_REPOSITORY_MISSING: { exit: 1 },
  MOVER_REPOSITORY_THERE: { exit: 1 },
  MOVER_SNAPSHOT: { exit: 1 },
  MOVER_SPACE: { exit: 1 },
  NAMESPACE_TERMINATING: { exit: 1 },
  NOTIFY_CONFIG: { exit: 1 },
  NOTIFY_NO_ANSWER: { exit: 1 },
  OPERATION_GONE: { exit: 1 },
  OPERATION_MISSING: { exit: 1 },
  OPERATOR_FAILED: { exit: 1 },
  PLUGIN_DUPLICATE: { exit: 1 },
  PLUGIN_FAILED: { exit: 1 },
  PLUGIN_MISSING: { exit: 1 },
  PLUGIN_PROTOCOL: { exit: 1 },
  PLUGIN_TIMEOUT: { exit: 1 },
  REPOSITORY_NOT_READY: { exit: 1 },
  RESTORE_TARGET: { exit: 1 },
  SERVER_LISTEN: { exit: 1 },
  SNAPSHOT_PATH: { exit: 1 },
  SPOOL_DAMAGED: { exit: 1 },
  SPOOL_FAILED: { exit: 1 },
  STORED_INVALID: { exit: 1 },
  STORE_CONFIG: { exit: 1 },
  STORE_DENIED: { exit: 1 },
  STORE_FAILED: { exit: 1 },
  STORE_FULL: { exit: 1 },
  STORE_KEY: { exit: 1 },
  STORE_MISSING: { exit: 1 },
  STORE_REPLACED: { exit: 1 },
  STORE_UNREACHABLE: { exit: 1 },
  TRACE_FORM: { exit: 1 },
  USAGE: { exit: 2 },
  VOLUME_EXPOSE: { exit: 1 },
  VOLUME_FOLDER: { exit: 1 },
  VOLUME_INCOMPLETE: { exit: 1 },
  VOLUME_REBIND: { exit: 1 },
} as const satisfies Record<string, { readonly exit: ExitCode }>;

/** 0 ok, 1 the work failed, 2 wrong use, 3 the cluster cannot be reached, 4 the work was canceled. */
export type ExitCode = 0 | 1 | 2 | 3 | 4;

/** One word that names what went wrong. */
export type Code = keyof typeof codes;

/** A failure that a person can act on; anything else that is thrown is a bug. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: Code;
  /** False tells a controller not to try again until the spec changes. */
  readonly retry: boolean;

  constructor(code: Code, message: string, options: { cause?: unknown; retry?: boolean } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retry = options.retry ?? true;
  }
}

/** The exit code of the command line for whatever was thrown. */
export function exitCodeOf(error: unknown): ExitCode {
  return error instanceof AppError ? codes[error.code].exit : 1;
}

/** Whether an error is the one that a person knows by this code. */
export function isCode(error: unknown, code: Code): error is AppError {
  return error instanceof AppError && error.code === code;
}

/** The words of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
