import { expect, test } from 'vitest';
import { mountTypeOf, networkName } from './place.ts';

const mountinfo = `22 27 0:21 / /proc rw shared:5 - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
90 27 0:50 / /home/me/remote rw - fuse.sshfs me@host: rw
91 27 0:51 / /home/me/re rw - fuse.ntfs-3g /dev/sdb1 rw
92 27 0:52 / /mnt/with\\040blank rw - nfs4 host:/x rw
`;

test.each([
  [0x6969, null, 'nfs'],
  [0xff534d42, null, 'cifs'],
  [-11317950, null, 'cifs'],
  [0x65735546, 'fuse.sshfs', 'fuse.sshfs'],
  [0x65735546, 'fuse.ntfs-3g', null],
  [0x65735546, null, null],
  [0xef53, null, null],
])('a file system with magic %i and mount type %s is on the network: %s', (magic, type, name) => {
  expect(networkName(magic, type)).toBe(name);
});

test('the mount of a path is the innermost that holds it', () => {
  expect(mountTypeOf(mountinfo, '/home/me/remote/state')).toBe('fuse.sshfs');
  expect(mountTypeOf(mountinfo, '/home/me/re')).toBe('fuse.ntfs-3g');
  expect(mountTypeOf(mountinfo, '/home/me/red')).toBe('ext4');
  expect(mountTypeOf(mountinfo, '/mnt/with blank/x')).toBe('nfs4');
  expect(mountTypeOf('', '/')).toBeNull();
});
