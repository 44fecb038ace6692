#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# Verifies with Mail::DKIM: names of message files on standard input, for each
# one line of JSON: [["selector", "result"], ...] in the signatures' order.
# The argument is the port of the name server on loopback.
use strict;
use warnings;
use JSON::PP;
use Mail::DKIM::DNS;
use Mail::DKIM::Verifier;
use Net::DNS;

$| = 1;
Mail::DKIM::DNS::resolver(Net::DNS::Resolver->new(
	nameservers => ['127.0.0.1'], port => $ARGV[0], recurse => 1));
while (my $name = <STDIN>) {
	chomp $name;
	open my $file, '<:raw', $name or die "$name: $!\n";
	my $verifier = Mail::DKIM::Verifier->new();
	local $/ = undef;
	$verifier->PRINT(<$file>);
	$verifier->CLOSE;
	my @found = map { [$_->selector, $_->result eq 'pass' ? 'pass' :
		$_->result_detail] } $verifier->signatures;
	print encode_json(\@found), "\n";
}
