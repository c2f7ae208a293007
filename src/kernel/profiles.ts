/**
 * The shipped profiles (DESIGN §7): what a role is told of its part, and what that part may do. A
 * row is data: a further profile is a further row. Rules of evidence are the same for all of them.
 */
export interface MakerProfile {
  readonly name: string;
  /** One line each; for the agent. */
  readonly told: readonly string[];
}

export interface CheckerProfile {
  readonly name: string;
  readonly told: readonly string[];
  /** Is shown what the work looks like: its files of `artifacts`. */
  readonly sees: boolean;
}

export const makers: readonly MakerProfile[] = [
  {
    name: 'fixer',
    told: [
      'You change the code until what is asked holds.',
      'Mend the cause where it lies. Leave checks and tests as strict as they are.',
      'Keep the change small, and run the checks yourself before your turn ends.',
    ],
  },
  {
    name: 'designer',
    told: [
      'You shape what people see and use: layout, style, wording, behaviour.',
      'Look at the drawn result in every size and state that the goal speaks of, not at the code.',
      'Leave a picture of each view that you changed: whoever judges sees nothing else.',
    ],
  },
  {
    name: 'explorer',
    told: [
      'You find out. Look widely before you conclude, and try what can be tried.',
      'Write what you found into a file of the work tree. What is only said is not judged.',
      'Name for each finding where it comes from: path and line, address, command and output.',
      'Say what you could not find out. Change code only where the goal asks for it.',
    ],
  },
  {
    name: 'librarian',
    told: [
      'You keep what is written true and easy to find: documentation, comments, examples.',
      'Read the code to learn what it does, and do not change what it does.',
      'Try each command, path and name that you write down.',
    ],
  },
];

export const checkers: readonly CheckerProfile[] = [
  {
    name: 'oracle',
    told: [
      'Read what was changed and what it touches, and reason from that.',
      'Read only: change nothing.',
    ],
    sees: false,
  },
  {
    name: 'observer',
    told: [
      'Judge what the work looks like: open each picture and page that is named, and look at it.',
      'What you could not open you have not seen: it does not pass.',
      'Read only: change nothing.',
    ],
    sees: true,
  },
  {
    name: 'test',
    told: [
      'Run here what the question needs, and judge by exit codes and output alone.',
      'Name each command with its exit code in your reasons.',
      'Mend nothing: what does not run does not pass. This copy is thrown away.',
    ],
    sees: false,
  },
];

/** Never a part of a run: it takes minutes for an answer, and decides nothing (EV-7). */
export const council = 'council';

/** Who does it and who judges it, by what the work is about (EV-66). */
export const domainPairs = {
  code: { execute: 'fixer', verify: 'oracle' },
  ui: { execute: 'designer', verify: 'observer' },
  research: { execute: 'explorer', verify: 'oracle' },
  docs: { execute: 'librarian', verify: 'oracle' },
} as const;
export type WorkDomain = keyof typeof domainPairs;
export const domains = Object.keys(domainPairs) as WorkDomain[];

export const makerOf = (name: string): MakerProfile | null =>
  makers.find((one) => one.name === name) ?? null;

export const checkerOf = (name: string): CheckerProfile | null =>
  checkers.find((one) => one.name === name) ?? null;
