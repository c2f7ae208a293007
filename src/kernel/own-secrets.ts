/**
 * Variables by which a process of ours may do what a lane, a check or a program of the user must
 * not: they pass gates, or hold the password of the store. None of these is handed on to them.
 */
export const ownSecrets: readonly string[] = ['PAWL_OPERATOR_TOKEN', 'PAWL_DATABASE'];
