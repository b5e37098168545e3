/** The passwords tried first by those who guess, of six characters and more, in lower case. */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `
  000000 00000000 010203 102030 111111 1111111 11111111 111222 112233 11223344 121212 123123 123123123 123321 12341234
  1234321 123454321 12344321 123456 1234567 12345678 123456789 1234567890 12345678910 123456a 123456abc 123456q 1234qwer
  12345a 12345q 123654 123654789 123abc 123qwe 12qwaszx 131313 135790 142536 147258 147258369 147852 159357 159753
  1a2b3c 1q2w3e 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qazxsw2 222222 232323 252525 333333 444444 456789 555555 654321 666666
  696969 7654321 777777 7777777 789456 789456123 87654321 888888 88888888 963852741 987654 987654321 9876543210 999999
  99999999 a1b2c3 a1b2c3d4 a12345 a123456 a123456789 aa123456 aaaaaa aaaaaaaa abc123 abc1234 abc12345 abc123456 abcabc
  abcd123 abcd1234 abcdef abcdefg abcdefgh access admin1 admin123 admin1234 administrator asdasd asdf1234 asdfasdf
  asdfgh asdfghjk asdfghjkl azerty babygirl bailey bajrang baseball basketball batman bharat butterfly changeme charlie
  cheese chelsea chocolate computer cricket daniel default diamond donald dragon family flower football forever
  freedom friends ganesh ginger guest1 hannah hanuman harley hello1 hello123 hello1234 hellohello helpme hockey hunter
  iloveu iloveyou iloveyou1 iloveyou2 india1 india123 indian internet jaimatadi jaishreeram jennifer jessica jordan
  jordan23 joshua justin killer krishna letmein letmein1 liverpool login1 loveme lovely loveyou maggie master matrix
  michael michelle mickey monkey monkey1 mustang myspace1 naruto nicole omsairam pakistan pass123
  pass1234 pass@123 passw0rd passw0rd1 password password! password1 password1! password12 password123 password1234
  password@1 password@123 pepper pokemon p@ssw0rd p@ssword princess purple q1w2e3 q1w2e3r4 q1w2e3r4t5 qazwsx qazwsxedc
  qwaszx qweasd qweasdzxc qweqwe qwer1234 qwert1 qwertyu qwerty qwerty1 qwerty12 qwerty123 qwerty1234 qwerty12345
  qwertyui qwertyuiop qweasd123 radhakrishna ranger robert sairam samsung secret secret1 secret123 shadow shivam
  soccer sparky starwars summer sunshine superman superman1 sweety target123 tester testing testing1 test123 test1234 test12345
  thomas tigger tinkle trustno1 unknown user123 user1234 welcome welcome1 welcome123 welcome@123 whatever william
  xxxxxx yellow zaq12wsx zaq1zaq1 zxcvbn zxcvbnm zxczxc
  `
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .filter((password) => password.length >= 6),
);
