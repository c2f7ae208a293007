import { expect, test } from 'vitest';
import { shownAddress } from './address.ts';

test.each([
  ['postgres://pawl@db:5432/pawl', 'postgres://pawl@db:5432/pawl'],
  ['postgres://pawl:s3cret@db/pawl', 'postgres://pawl@db/pawl'],
  [
    'postgresql://pawl:s3%40cret@db/pawl?sslmode=require',
    'postgresql://pawl@db/pawl?sslmode=require',
  ],
  ['postgres://db/pawl?user=me&password=s3cret', 'postgres://db/pawl?user=me'],
  ['postgres://db/pawl?sslpassword=s3cret&a=b', 'postgres://db/pawl?a=b'],
  ['postgres://me:s3cret@a:1,b:2/pawl', 'postgres://…'],
])('no password is shown of %s', (address, shown) => {
  expect(shownAddress(address)).toBe(shown);
});
