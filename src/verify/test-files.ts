import picomatch from 'picomatch';

/**
 * Whether a path is, by the customs of common runners, a file of tests or lies in a folder of them.
 */
export const isTestFile: (path: string) => boolean = picomatch(
  [
    '**/*.{test,spec}.*',
    '**/*_{test,spec}.*',
    '**/test_*.*',
    '**/{test,tests,spec,__tests__}/**',
    '**/*{Test,Tests,Spec}.{java,kt,cs,scala,groovy,php}',
  ],
  { dot: true },
);
