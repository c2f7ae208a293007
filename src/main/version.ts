/** Replaced by the build with the version of package.json. */
declare const PAWL_VERSION: string | undefined;

export const version: string = typeof PAWL_VERSION === 'string' ? PAWL_VERSION : '0.0.0-source';
