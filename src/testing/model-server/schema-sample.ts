import { type Fields, fieldsOf } from '../../kernel/json.ts';
import { list } from './json.ts';

/** Deeper than this nothing is filled in; a schema may be built to have no end. */
const depthMax = 8;

/** A value that fits a JSON schema, as far as agent programs use them for their side errands. */
export function sampleOf(schema: Fields, depth = 0): unknown {
  if (depth > depthMax) return null;
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum']) && schema['enum'].length > 0) return schema['enum'][0];
  const [choice] = [...list(schema['anyOf']), ...list(schema['oneOf'])];
  if (choice !== undefined) return sampleOf(choice, depth + 1);
  switch (typeOf(schema)) {
    case 'object': {
      const properties = Object.entries(fieldsOf(schema['properties']));
      return Object.fromEntries(
        properties.map(([name, inner]) => [name, sampleOf(fieldsOf(inner), depth + 1)]),
      );
    }
    case 'array':
      return [];
    case 'boolean':
      return false;
    case 'number':
    case 'integer':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
    case 'null':
      return null;
    default:
      return 'A short title';
  }
}

/** Gemini spells types in capitals; a list of types allows any of them. */
function typeOf(schema: Fields): string {
  const { type } = schema;
  const first: unknown = Array.isArray(type) ? type[0] : type;
  if (typeof first === 'string') return first.toLowerCase();
  return 'properties' in schema ? 'object' : 'string';
}
