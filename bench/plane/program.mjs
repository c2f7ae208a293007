/**
 * One process of one system: `program.mjs <system> <options as JSON>`. A system exports `open`,
 * which answers its verbs; what a verb answers goes back to whoever asked. It ends with its parent.
 */
const [system, text] = process.argv.slice(2);
const tell = (told) => process.connected && process.send({ told });
let verbs = null;

const said = (error) => (error instanceof Error ? (error.stack ?? error.message) : String(error));

process.on('message', async ({ id, verb, given }) => {
  try {
    if (verb === 'open') {
      const { open } = await import(`./systems/${system}.mjs`);
      const opened = await open(JSON.parse(text), tell);
      verbs = opened.verbs;
      process.send({ id, value: opened.facts ?? null });
    } else process.send({ id, value: (await verbs[verb](given)) ?? null });
  } catch (error) {
    if (process.connected) process.send({ id, error: said(error) });
  }
});
process.on('disconnect', () => process.exit(0));
