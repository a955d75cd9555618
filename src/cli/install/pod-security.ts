/** The pod of the operator: nobody in particular, and what it writes belongs to its group. */
export const podContext = {
  runAsNonRoot: true,
  runAsUser: 65_532,
  runAsGroup: 65_532,
  fsGroup: 65_532,
  seccompProfile: { type: "RuntimeDefault" },
};

/** The container of the operator. */
export const operatorContext = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

/**
 * The container of an agent: root without the powers of root, but for those over files that belong to anybody.
 *
 * - DAC_OVERRIDE: reads and writes files and folders whatever their mode; without it a file of mode 600 of another user cannot be read.
 * - CHOWN, FOWNER: gives restored files their owner, and then their mode, times and attributes although they are another's.
 * - FSETID: keeps set-user-ID and set-group-ID bits of files that are another's.
 * - SETFCAP: restores `security.capability` attributes, such as those of ping.
 * - MKNOD: restores device nodes.
 *
 * Not SYS_PTRACE, SYS_ADMIN, SETUID or SETGID: movers become nobody else and look into no process. `trusted.*` attributes
 * would need SYS_ADMIN and are not restored.
 */
export const agentContext = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"], add: ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "MKNOD", "SETFCAP"] },
};

/** The pod of an agent: the folders that it reads belong to any user. */
export const agentPodContext = { runAsUser: 0, seccompProfile: { type: "RuntimeDefault" } };
