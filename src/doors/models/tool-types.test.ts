import { expect, test } from 'vitest';
import type { ModelApi } from '../../ports/models-door.ts';
import { isUnmetered, serverTools } from './tool-types.ts';

/** What the measured CLIs send, and client tools of the APIs: all of it must pass. */
const allowed: readonly [ModelApi, object][] = [
  ['anthropic', { name: 'Bash', input_schema: {} }],
  ['anthropic', { type: 'custom', name: 'x' }],
  ['anthropic', { type: 'bash_20250124', name: 'bash' }],
  ['anthropic', { type: 'text_editor_20250728', name: 'x' }],
  ['anthropic', { type: 'computer_20250124', name: 'x' }],
  ['anthropic', { type: 'memory_20250818', name: 'x' }],
  ['anthropic', { type: 'tool_search_tool_regex_20251119', name: 'x' }],
  ['responses', { type: 'function', name: 'exec_command' }],
  ['responses', { type: 'custom', name: 'apply_patch' }],
  ['responses', { type: 'local_shell' }],
  ['responses', { type: 'shell', environment: { type: 'local' } }],
  ['responses', { type: 'namespace', tools: [{ type: 'function', name: 'x' }] }],
  ['chat', { type: 'function', function: { name: 'x' } }],
  ['gemini', { functionDeclarations: [] }],
  ['gemini', { function_declarations: [] }],
];

test('tools among the items of a conversation are tools (PL-81)', () => {
  const item = (...tools: object[]) => ({
    input: [{ type: 'additional_tools', tools }, 'x', null],
  });
  const client = { type: 'namespace', tools: [{ type: 'custom', name: 'exec' }] };
  expect(serverTools('responses', item(client))).toEqual([]);
  expect(serverTools('responses', item(client, { type: 'web_search' }))).toEqual(['web_search']);
  expect(serverTools('responses', { input: 'as text' })).toEqual([]);
});

/** Runs at the provider, in the versions known today and in ones that do not exist yet. */
const refused: readonly [ModelApi, object, string][] = [
  ['anthropic', { type: 'web_search_20250305', name: 'web_search' }, 'web_search_20250305'],
  ['anthropic', { type: 'web_fetch_20991231' }, 'web_fetch_20991231'],
  ['anthropic', { type: 'code_execution_20250825' }, 'code_execution_20250825'],
  ['anthropic', { type: 'advisor_20260301' }, 'advisor_20260301'],
  ['anthropic', { type: 'mcp_toolset' }, 'mcp_toolset'],
  ['anthropic', { type: 'bash_20250124_remote' }, 'bash_20250124_remote'],
  ['anthropic', { type: 7 }, 'a tool without a name'],
  ['responses', { type: 'web_search', external_web_access: true }, 'web_search'],
  ['responses', { type: 'web_search_preview' }, 'web_search_preview'],
  ['responses', { type: 'file_search' }, 'file_search'],
  ['responses', { type: 'code_interpreter' }, 'code_interpreter'],
  ['responses', { type: 'image_generation' }, 'image_generation'],
  ['responses', { type: 'computer_use_preview' }, 'computer_use_preview'],
  ['responses', { type: 'mcp', server_url: 'x' }, 'mcp'],
  ['responses', { type: 'shell', environment: { type: 'container_auto' } }, 'shell'],
  ['responses', { type: 'namespace', tools: [{ type: 'mcp' }] }, 'mcp'],
  [
    'responses',
    { type: 'namespace', tools: [{ type: 'namespace', tools: [{ type: 'mcp' }] }] },
    'mcp',
  ],
  ['chat', { type: 'browser_search' }, 'browser_search'],
  ['chat', { type: '$web_search' }, '$web_search'],
  ...[
    'googleSearch',
    'googleSearchRetrieval',
    'urlContext',
    'codeExecution',
    'googleMaps',
    'fileSearch',
    'computerUse',
    'enterpriseWebSearch',
    'retrieval',
    'google_search',
    'url_context',
    'somethingNew',
  ].map((key): [ModelApi, object, string] => ['gemini', { [key]: {} }, key]),
  ['gemini', { functionDeclarations: [], googleSearch: {} }, 'googleSearch'],
];

test.each(allowed)('%s: a tool of the client passes: %j (PL-81)', (api, tool) => {
  expect(serverTools(api, { tools: [tool] })).toEqual([]);
});

test.each(refused)(
  '%s: a tool of the provider does not pass: %j (PL-81, PL-92)',
  (api, tool, name) => {
    expect(
      serverTools(api, { tools: [{ type: 'function', functionDeclarations: [] }, tool] }),
    ).toContain(name);
  },
);

test.each<[ModelApi, Readonly<Record<string, unknown>>]>([
  ['anthropic', { mcp_servers: [{ url: 'https://x' }] }],
  ['anthropic', { container: 'c' }],
  ['responses', { prompt: { id: 'p' } }],
  ['chat', { web_search_options: {} }],
  ['chat', { plugins: [{ id: 'web' }] }],
  ['chat', { search_parameters: { mode: 'on' } }],
  ['chat', { enable_search: true }],
  ['chat', { model: 'openai/gpt-5:online' }],
  ['chat', { model: 'gpt-4o-search-preview' }],
  ['responses', { model: 'o4-mini-deep-research' }],
  ['gemini', { cachedContent: 'cachedContents/x' }],
])('%s: what brings tools along beside the list does not pass: %j (PL-81)', (api, body) => {
  expect(serverTools(api, body)).toHaveLength(1);
});

test('what is switched off or empty asks nothing', () => {
  const body = { mcp_servers: [], container: null, enable_search: false, tools: null };
  expect(serverTools('anthropic', body)).toEqual([]);
  expect(serverTools('chat', body)).toEqual([]);
  expect(serverTools('responses', {})).toEqual([]);
});

test('an answer that would be fetched past the meter is known', () => {
  expect(isUnmetered('responses', { background: true })).toBe(true);
  expect(isUnmetered('responses', { background: false })).toBe(false);
});
