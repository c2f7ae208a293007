import { describe, expect, test } from 'vitest';
import {
  beginDelivery,
  type DeliverySign,
  type DeliveryState,
  delivered,
  type PromptWay,
} from './delivery.ts';

const stateAfter = (way: PromptWay, ...signs: readonly DeliverySign[]) =>
  signs.reduce(delivered, beginDelivery(way)).state;

describe('the delivery of a prompt (RR-17)', () => {
  test.each<[PromptWay, readonly DeliverySign[], DeliveryState | null]>([
    ['given', [], 'sent'],
    ['given', ['seen'], 'seen'],
    ['given', ['seen', 'work'], 'started'],
    ['given', ['work'], 'started'],
    ['given', ['work', 'ended'], 'started'],
    ['given', ['ended'], 'failed'],
    ['given', ['seen', 'ended'], 'failed'],
    ['told', [], null],
    ['told', ['sent'], 'sent'],
    ['told', ['sent', 'seen'], 'seen'],
    ['told', ['sent', 'failed'], 'failed'],
    ['told', ['ended'], 'failed'],
    ['silent', [], 'sent'],
    ['silent', ['work'], 'started'],
    ['silent', ['failed'], 'failed'],
  ])('%s, %j: %s', (way, signs, state) => expect(stateAfter(way, ...signs)).toBe(state));

  test('what was seen before it was sent says nothing of it', () => {
    expect(stateAfter('told', 'seen', 'work')).toBeNull();
    expect(stateAfter('told', 'seen', 'work', 'sent')).toBe('sent');
  });
  test('it never goes back', () => {
    expect(stateAfter('given', 'work', 'seen', 'sent')).toBe('started');
    expect(stateAfter('given', 'seen', 'sent')).toBe('seen');
    expect(stateAfter('told', 'sent', 'failed', 'seen', 'work')).toBe('failed');
  });
  test('a silent program that ends without a sign is not said to have been told nothing', () => {
    expect(stateAfter('silent', 'ended')).toBe('sent');
  });
});
