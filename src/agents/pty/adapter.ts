/**
 * Any command that needs a terminal, as an agent (`agents: { mine: { pty: […] } }`). It gets the
 * prompt in its argv; only where no word of that has a place for it, it is typed. Like any command
 * it says by its exit or by its result file that its turn is over.
 */
import type { Role } from '../../domain/definition/definition.ts';
import { RequestError } from '../../kernel/errors.ts';
import type { Adapter, TerminalSize } from '../../ports/agent.ts';
import { commandEnd } from '../command/adapter.ts';
import { fillTemplate } from '../command/template.ts';
import { templateValues } from '../command/template-values.ts';
import { ptyTalk } from '../drivers/pty/talk.ts';
import { turnEnvironment } from '../turn-environment.ts';

/** That of the study (research/liveness.md): other sizes were not tried. */
const size: TerminalSize = { columns: 120, rows: 40 };

/** @throws RequestError `agent_missing` when the role names no command. */
export function ptyAdapter(role: Role): Adapter {
  const template = [...(role.command ?? []), ...role.args];
  if (role.command === null || role.command.length === 0) {
    throw new RequestError('agent_missing', `there is no command for the agent "${role.agent}"`);
  }
  const isGiven = template.some((word) => /\{prompt(_content)?\}/.test(word));
  return {
    name: 'pty',
    version: '1',
    launch(setting) {
      const { dispatch, files } = setting;
      const prompt = isGiven ? null : { text: dispatch.prompt, path: files.prompt };
      return {
        argv: fillTemplate(template, templateValues(setting, role.model)),
        env: {
          ...turnEnvironment(setting),
          PAWL_RESULT_FILE: files.result,
          TERM: 'xterm-256color',
          COLORTERM: 'truecolor',
        },
        stdin: null,
        terminal: size,
        talk: ptyTalk({ prompt, end: commandEnd }),
      };
    },
  };
}
