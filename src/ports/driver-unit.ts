/** The driver as a service of the user: at login and after a reboot (UX 2.1, DESIGN §2). */
export interface DriverUnit {
  /** `none`: this machine has no manager of services that we know; see `byHand`. */
  readonly manager: 'systemd' | 'launchd' | 'none';
  /** Where the unit lies, or would; null without a manager. */
  readonly unit: string | null;
  /** What somebody types, or gives another manager, to get the same by hand. */
  readonly byHand: string;
  /** Writes the unit and starts it; answers with what else must be known. Idempotent.
   * @throws WorldError `service_failed` with what the manager said. */
  install(): Promise<readonly string[]>;
  /** Stops and removes it; false when it was not there. @throws WorldError `service_failed`. */
  uninstall(): Promise<boolean>;
  /** @throws WorldError `service_failed`. */
  start(): Promise<void>;
  /** @throws WorldError `service_failed`. */
  stop(): Promise<void>;
  isInstalled(): Promise<boolean>;
}
