/**
 * The shipped profiles (DESIGN §7): what a role is told of its part, and what that part may do. A
 * row is data: a further profile is a further row. Rules of evidence are the same for all of them.
 */
export interface MakerProfile {
  readonly name: string;
  /** One line each; for the agent. */
  readonly told: readonly string[];
  /** What it is asked as one of a council, where it changes and decides nothing. */
  readonly advises: string;
}

export interface CheckerProfile {
  readonly name: string;
  readonly told: readonly string[];
  readonly advises: string;
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
    advises: 'Say where the cause lies, and the smallest change that would mend it.',
  },
  {
    name: 'designer',
    told: [
      'You shape what people see and use: layout, style, wording, behaviour.',
      'Look at the drawn result in every size and state that the goal speaks of, not at the code.',
      'Leave a picture of each view that you changed: whoever judges sees nothing else.',
    ],
    advises: 'Say what people would see of this work, and what of it is still wrong for them.',
  },
  {
    name: 'explorer',
    told: [
      'You find out. Look widely before you conclude, and try what can be tried.',
      'Write what you found into a file of the work tree. What is only said is not judged.',
      'Name for each finding where it comes from: path and line, address, command and output.',
      'Say what you could not find out. Change code only where the goal asks for it.',
    ],
    advises:
      'Say what nobody has looked at yet: other causes, other ways, what is known elsewhere.',
  },
  {
    name: 'librarian',
    told: [
      'You keep what is written true and easy to find: documentation, comments, examples.',
      'Read the code to learn what it does, and do not change what it does.',
      'Try each command, path and name that you write down.',
    ],
    advises: 'Say what of the goal, the documents and the comments misleads whoever works here.',
  },
];

export const checkers: readonly CheckerProfile[] = [
  {
    name: 'oracle',
    told: [
      'Read what was changed and what it touches, and reason from that.',
      'Read only: change nothing.',
    ],
    advises:
      'Doubt: do goal, checks and attempts fit each other, and can what is asked be reached so?',
    sees: false,
  },
  {
    name: 'observer',
    told: [
      'Judge what the work looks like: open each picture and page that is named, and look at it.',
      'What you could not open you have not seen: it does not pass.',
      'Read only: change nothing.',
    ],
    advises: 'Say what the work looks like as it is, and what of that the checks do not see.',
    sees: true,
  },
  {
    name: 'test',
    told: [
      'Run here what the question needs, and judge by exit codes and output alone.',
      'Name each command with its exit code in your reasons.',
      'Mend nothing: what does not run does not pass. This copy is thrown away.',
    ],
    advises: 'Say what the checks prove and what not, and which one command would tell more.',
    sees: false,
  },
];

/** Never a part of a run: it takes minutes for an answer, and decides nothing (EV-7). */
export const council = 'council';

/** Who can be asked about a parked run. */
export const advisers: readonly Pick<MakerProfile, 'name' | 'advises'>[] = [...makers, ...checkers];

/** Unless others are named: one who doubts, one who looks wider, one who would mend. */
export const usualCouncil: readonly string[] = ['oracle', 'explorer', 'fixer'];
export const councilMax = 5;

export interface CouncilProblem {
  readonly says: string;
  readonly found: string;
  readonly allowed: string;
}

/** Null: these can be asked together. */
export function councilProblem(profiles: readonly string[]): CouncilProblem | null {
  const names = advisers.map(({ name }) => name);
  const allowed = names.join(', ');
  const other = profiles.find((name) => !names.includes(name));
  if (other !== undefined) {
    const isItself = other === council;
    const says = isItself ? 'a council is none of its own members' : `"${other}" is no profile`;
    return { says, found: other, allowed };
  }
  const twice = profiles.find((name, index) => profiles.indexOf(name) !== index);
  if (twice !== undefined) {
    return { says: `${twice} is named twice`, found: profiles.join(','), allowed };
  }
  if (profiles.length >= 1 && profiles.length <= councilMax) return null;
  const most = `1 to ${councilMax} of ${allowed}`;
  return {
    says: `a council has 1 to ${councilMax} profiles`,
    found: profiles.join(','),
    allowed: most,
  };
}

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
