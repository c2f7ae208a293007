/**
 * The child-subreaper guard (research/containment.md §8): a Perl program without modules beyond
 * perl-base. Every orphan below it, however it escaped, becomes its child; when `waitpid` says
 * ECHILD no descendant lives, and that is what its record states. It ends the tree when the agent
 * ends and when the host's end of the control pipe closes. Written to the state directory before
 * its first use.
 */
import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Arguments: control fd, gate fd (closed in the guard), record file, execution, boot id, command…
 */
const source = String.raw`# Ends everything below it and writes down that nothing is left. Written by pawl.
use strict; use warnings; use POSIX qw(:sys_wait_h); use Errno qw(ECHILD EINTR); use IO::Handle;
my ($control_fd, $gate_fd, $record, $execution, $boot, @command) = @ARGV;
my %numbers = (x86_64 => 157, aarch64 => 167, riscv64 => 167, i686 => 172, armv7l => 172, ppc64le => 171, s390x => 172);
my $prctl = $numbers{(POSIX::uname())[4]} or exit 125;
syscall($prctl, 36, 1, 0, 0, 0) == 0 or exit 125;   # PR_SET_CHILD_SUBREAPER
exit 0 if $record eq 'probe';

sub slurp { my ($path) = @_; open(my $h, '<', $path) or return ''; local $/; my $t = <$h>; return defined $t ? $t : '' }
my $stat = slurp("/proc/$$/stat"); $stat =~ s/^.*\)\s//s;
my $started = (split ' ', $stat)[19];

$SIG{$_} = 'IGNORE' for qw(INT HUP TERM PIPE QUIT TSTP TTIN TTOU);
open(my $control, '<&=', $control_fd) or exit 125;
pipe(my $wake_r, my $wake_w) or exit 125;
$SIG{CHLD} = sub { syswrite($wake_w, 'x', 1) };

my $agent = fork;
exit 125 unless defined $agent;
if ($agent == 0) {
  $SIG{$_} = 'DEFAULT' for qw(INT HUP TERM PIPE QUIT TSTP TTIN TTOU CHLD);
  POSIX::close($_) for ($control_fd, fileno $wake_r, fileno $wake_w);
  exec { $command[0] } @command;
  POSIX::_exit(127);
}
POSIX::close($gate_fd);

my ($status, $why);
sub reap {
  while (1) {
    my $pid = waitpid(-1, WNOHANG);
    return 0 if $pid == 0;
    if ($pid < 0) { next if $!{EINTR}; return $!{ECHILD} ? 1 : 0 }
    if ($pid == $agent) { $status = $?; $why = 'agent' unless defined $why }
  }
}
sub children {
  my $text = ''; my $files = 0;
  for my $file (glob("/proc/$$/task/*/children")) { $files = 1; $text .= slurp($file) . ' ' }
  return split ' ', $text if $files;
  my @found;                                          # a kernel without CONFIG_PROC_CHILDREN
  for my $file (glob('/proc/[0-9]*/stat')) {
    my ($pid) = $file =~ m{/proc/(\d+)/}; my $line = slurp($file); $line =~ s/^.*\)\s//s;
    my $parent = (split ' ', $line)[1]; push @found, $pid if defined $parent && $parent == $$;
  }
  return @found;
}

while (!defined $why) {
  last if reap() || defined $why;
  my $bits = ''; vec($bits, $control_fd, 1) = 1; vec($bits, fileno $wake_r, 1) = 1;
  my $ready = select($bits, undef, undef, 5);
  next unless defined $ready && $ready > 0;
  if (vec($bits, fileno $wake_r, 1)) { my $x; sysread($wake_r, $x, 64) }
  if (vec($bits, $control_fd, 1)) {
    my $x; my $n = sysread($control, $x, 64);
    $why = 'host' if !defined $n ? !$!{EINTR} : $n == 0;
  }
}
my $pause = 0.002;
until (reap()) {
  kill 'KILL', $_ for children();
  last if reap();
  select(undef, undef, undef, $pause); $pause = $pause * 1.5 if $pause < 0.1;
}
my $exit = defined $status && WIFEXITED($status) ? WEXITSTATUS($status) : 'null';
my $signal = defined $status && WIFSIGNALED($status) ? WTERMSIG($status) : 'null';
$why = 'agent' unless defined $why;
if (open(my $h, '>', "$record.tmp")) {
  print $h qq({"ended":true,"why":"$why","execution":"$execution","bootId":"$boot","pid":$$,"started":$started,"exit":$exit,"signal":$signal}\n);
  $h->flush; $h->sync; close $h; rename "$record.tmp", $record;
}
exit($signal ne 'null' ? 128 + $signal : $exit ne 'null' ? $exit : 125);
`;

export interface GuardRecord {
  readonly execution: string;
  readonly bootId: string;
  readonly pid: number;
  readonly started: number;
}

/** Answers with the path of the program; its name carries its digest, so versions never mix. */
export async function installGuard(stateDirectory: string): Promise<string> {
  const digest = createHash('sha256').update(source).digest('hex').slice(0, 12);
  const path = join(stateDirectory, `guard-${digest}.pl`);
  const temporary = `${path}.${process.pid}.tmp`;
  await mkdir(stateDirectory, { recursive: true, mode: 0o700 });
  await writeFile(temporary, source, { mode: 0o600 });
  await rename(temporary, path);
  return path;
}

/** Null for anything that is not a whole record. */
export function parseGuardRecord(text: string): GuardRecord | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // A record is renamed into place whole, so this is not one.
    return null;
  }
  if (typeof value !== 'object' || value === null || !('ended' in value)) return null;
  const record = value as Record<string, unknown>;
  const { execution, bootId, pid, started } = record;
  if (record['ended'] !== true || typeof execution !== 'string' || typeof bootId !== 'string') {
    return null;
  }
  if (typeof pid !== 'number' || typeof started !== 'number') return null;
  return { execution, bootId, pid, started };
}
