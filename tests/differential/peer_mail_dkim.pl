#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# Mail::DKIM, as the driver of the differential tests asks it. Understands
# "verify" of peer_signpost. Answered: "" or why a signature was left out, and
# for each one that it told of "pass" or what went wrong, s= and d=.
use strict;
use warnings;

my $now;
BEGIN { *CORE::GLOBAL::time = sub { defined $now ? $now : CORE::time() } }

use Mail::DKIM::Verifier;
use Net::DNS;

my $OPTIONS = 8;
my %table;

# Instead of asking a name server: the records of the question.
sub query {
	my ($name, $type) = @_;
	my $found = $table{lc $name};

	$@ = 'NXDOMAIN';
	return unless $found && $found->[0][0] ne 'none';
	die "DNS error: $found->[0][0]\n" if $found->[0][0] ne 'found';
	$@ = 'NOERROR';
	return map { decode_txt($_->[1]) } @$found;
}

sub decode_txt {
	my ($rdata) = @_;
	my $wire = "\0" . pack('n n N n', 16, 1, 300, length $rdata) . $rdata;

	return Net::DNS::RR->decode(\$wire, 0);
}

{
	no warnings 'redefine';
	*Mail::DKIM::DNS::query = \&query;
}

sub read_frame {
	my ($head, $data);

	return unless (read STDIN, $head, 4) == 4;
	my $len = unpack 'N', $head;
	return unless (read STDIN, $data, $len) == $len;
	return [unpack '(N/a)*', $data];
}

sub write_frame {
	my $data = pack '(N/a)*', @_;

	print STDOUT pack('N', length $data), $data;
}

sub verify {
	my @items = @_;

	$now = shift @items;
	splice @items, 0, $OPTIONS;
	%table = ();
	for (1 .. shift @items) {
		my ($name, $answer, $rdata) = splice @items, 0, 3;
		push @{$table{lc $name}}, [$answer, $rdata];
	}
	my $body = shift @items;
	my $message = '';
	while (@items) {
		my ($name, $value) = splice @items, 0, 2;
		$message .= "$name:$value\015\012";
	}
	my $verifier = Mail::DKIM::Verifier->new();
	my @results = eval {
		$verifier->PRINT($message . "\015\012" . $body);
		$verifier->CLOSE;
		map { (($_->result || '') eq 'pass' ? 'pass' :
			($_->result_detail || 'none'), text($_->selector),
			text($_->domain)) } $verifier->signatures;
	};
	return "crash: $@" if $@;
	return (text($verifier->{signature_reject_reason}), @results);
}

sub text {
	my ($text) = @_;

	return defined $text ? $text : '';
}

binmode STDIN;
binmode STDOUT;
$| = 1;
while (my $items = read_frame()) {
	my @items = @$items;
	shift @items;
	write_frame(verify(@items));
}
