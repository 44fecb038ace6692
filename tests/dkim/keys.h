/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keys - the key pairs of the tests: those of RFC 8463 appendix A, known to
 * all the world, and an RSA key of 512 bits
 */
#ifndef KEYS_H
#define KEYS_H

/* RSA, 1024 bits: "test._domainkey.football.example.com" */
#define RSA_PEM                                                              \
	"-----BEGIN RSA PRIVATE KEY-----\n"                                  \
	"MIICXQIBAAKBgQDkHlOQoBTzWRiGs5V6NpP3idY6Wk08a5qhdR6wy5bdOKb2jLQi\n" \
	"Y/J16JYi0Qvx/byYzCNb3W91y3FutACDfzwQ/BC/e/8uBsCR+yz1Lxj+PL6lHvqM\n" \
	"KrM3rG4hstT5QjvHO9PzoxZyVYLzBfO2EeC3Ip3G+2kryOTIKT+l/K4w3QIDAQAB\n" \
	"AoGAH0cxOhFZDgzXWhDhnAJDw5s4roOXN4OhjiXa8W7Y3rhX3FJqmJSPuC8N9vQm\n" \
	"6SVbaLAE4SG5mLMueHlh4KXffEpuLEiNp9Ss3O4YfLiQpbRqE7Tm5SxKjvvQoZZe\n" \
	"zHorimOaChRL2it47iuWxzxSiRMv4c+j70GiWdxXnxe4UoECQQDzJB/0U58W7RZy\n" \
	"6enGVj2kWF732CoWFZWzi1FicudrBFoy63QwcowpoCazKtvZGMNlPWnC7x/6o8Gc\n" \
	"uSe0ga2xAkEA8C7PipPm1/1fTRQvj1o/dDmZp243044ZNyxjg+/OPN0oWCbXIGxy\n" \
	"WvmZbXriOWoSALJTjExEgraHEgnXssuk7QJBALl5ICsYMu6hMxO73gnfNayNgPxd\n" \
	"WFV6Z7ULnKyV7HSVYF0hgYOHjeYe9gaMtiJYoo0zGN+L3AAtNP9huqkWlzECQE1a\n" \
	"licIeVlo1e+qJ6Mgqr0Q7Aa7falZ448ccbSFYEPD6oFxiOl9Y9se9iYHZKKfIcst\n" \
	"o7DUw1/hz2Ck4N5JrgUCQQCyKveNvjzkkd8HjYs0SwM0fPjK16//5qDZ2UiDGnOe\n" \
	"uEzxBDAr518Z8VFbR41in3W4Y3yCDgQlLlcETrS+zYcL\n"                     \
	"-----END RSA PRIVATE KEY-----\n"
#define RSA_P                                                          \
	"MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDkHlOQoBTzWRiGs5V6NpP3" \
	"idY6Wk08a5qhdR6wy5bdOKb2jLQiY/J16JYi0Qvx/byYzCNb3W91y3FutACD" \
	"fzwQ/BC/e/8uBsCR+yz1Lxj+PL6lHvqMKrM3rG4hstT5QjvHO9PzoxZyVYLz" \
	"BfO2EeC3Ip3G+2kryOTIKT+l/K4w3QIDAQAB"
/* The same as RSAPublicKey, without SubjectPublicKeyInfo around it */
#define RSA_BARE_P                                                     \
	"MIGJAoGBAOQeU5CgFPNZGIazlXo2k/eJ1jpaTTxrmqF1HrDLlt04pvaMtCJj" \
	"8nXoliLRC/H9vJjMI1vdb3XLcW60AIN/PBD8EL97/y4GwJH7LPUvGP48vqUe" \
	"+owqszesbiGy1PlCO8c70/OjFnJVgvMF87YR4Lcincb7aSvI5MgpP6X8rjDd" \
	"AgMBAAE="
#define RSA_RECORD "v=DKIM1; k=rsa; p=" RSA_P

/* Ed25519: "brisbane._domainkey.football.example.com" */
#define ED25519_SEED   "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A="
#define ED25519_P      "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
#define ED25519_SPKI_P "MCowBQYDK2VwAyEA" ED25519_P
#define ED25519_RECORD "v=DKIM1; k=ed25519; p=" ED25519_P

#define RSA512_PEM                                                           \
	"-----BEGIN RSA PRIVATE KEY-----\n"                                  \
	"MIIBOgIBAAJBANqSCVSC81CcRIBtlrEv4xoUCdfJOcdHNO+ELqEgn33h/y4yhHb6\n" \
	"F/90p6PHzviz7TAxoMUl79WfLpQJeshWbY0CAwEAAQJADa4yU03W+OavCvLRCcob\n" \
	"hthWPWFk8moskAlP+dnW4cQTymzzJACMNBA20aGENwxMOerXX3wEXLLGzC4XkC1k\n" \
	"QQIhAP5F+Op2n7mOVWfxEtWyUd8NSgDpLjaHKGVAujwbs711AiEA3A3/lrJcmlDk\n" \
	"p449SJ+YZV7AGgjwnm0ZFIfNU4CD9LkCIEKd7nLvFTW2FqYewMJ/73cyshq+/L6I\n" \
	"dorghGpPD64pAiAXBGPSmG91OLbiC8+/M+pV2BZR4tOATrsL2bSRYmTrCQIhAMSq\n" \
	"E6suM+MVZN8Uu4askJ2g99d61gMkH4euRxF8iNPt\n"                         \
	"-----END RSA PRIVATE KEY-----\n"
#define RSA512_P                                                       \
	"MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBANqSCVSC81CcRIBtlrEv4xoUCdfJ" \
	"OcdHNO+ELqEgn33h/y4yhHb6F/90p6PHzviz7TAxoMUl79WfLpQJeshWbY0C" \
	"AwEAAQ=="
#define RSA512_RECORD "v=DKIM1; k=rsa; p=" RSA512_P

#endif
